#include "txsink/kafka/property_names.hpp"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace txsink::kafka {
namespace {

/// The names whose second column is one of `scopes`: C, P or * for both.
std::vector<std::string> names_with(std::string_view scopes) {
    // librdkafka has no list, but prints one: a Markdown table, its first columns the names and
    // scopes.
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* file = open_memstream(&text, &size);
    if (file == nullptr) {
        return {};
    }
    rd_kafka_conf_properties_show(file);
    std::fclose(file);
    const std::unique_ptr<char, decltype(&std::free)> owner{text, &std::free};

    std::vector<std::string> names;
    std::string_view rest{text, size};
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const auto name = line.substr(0, line.find(' '));
        const auto scope =
            line.find_first_not_of(' ', std::min(line.find('|'), line.size() - 1) + 1);
        if (scope != line.npos && scopes.find(line[scope]) != scopes.npos && !name.empty() &&
            name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._") == name.npos) {
            names.emplace_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace

std::vector<std::string> property_names() {
    return names_with("*CP");
}

std::vector<std::string> consumer_property_names() {
    return names_with("C");
}

}  // namespace txsink::kafka
