#include "config/option_values.hpp"

#include <algorithm>

namespace txsink::config {
namespace {

constexpr std::size_t kLongestTopic = 249;

std::string_view trim(std::string_view text) {
    constexpr std::string_view kSpaces = " \t\r\n";
    const auto begin = std::min(text.find_first_not_of(kSpaces), text.size());
    const auto end = text.find_last_not_of(kSpaces);
    return text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const auto end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(trim(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return parts;
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

std::string take_identifier(std::string_view& text) {
    std::string name;
    if (!text.starts_with('`')) {
        const auto end = std::min(text.find('.'), text.size());
        name = text.substr(0, end);
        text.remove_prefix(end);
        return name;
    }
    text.remove_prefix(1);
    while (!text.empty()) {
        if (text.starts_with("``")) {
            text.remove_prefix(1);
        } else if (text.starts_with('`')) {
            text.remove_prefix(1);
            return name;
        }
        name += text.front();
        text.remove_prefix(1);
    }
    return {};
}

std::string complaint_about_topic(std::string_view topic) {
    constexpr std::string_view kAllowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    if (topic.empty()) {
        return "has an empty topic name";
    }
    if (topic.size() > kLongestTopic) {
        return fmt::format("has a topic name of more than {} characters", kLongestTopic);
    }
    if (topic == "." || topic == ".." || topic.find_first_not_of(kAllowed) != topic.npos) {
        return "is not a topic name: those have letters, digits, '.', '_' and '-'; "
               "a regular expression begins with ^";
    }
    return {};
}

}  // namespace txsink::config
