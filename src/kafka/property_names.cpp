#include "txsink/kafka/property_names.hpp"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace txsink::kafka {

std::vector<std::string> property_names() {
    // librdkafka has no list, but prints one: a Markdown table, its first column the names.
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
        if (line.find('|') != line.npos && !name.empty() &&
            name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._") == name.npos) {
            names.emplace_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace txsink::kafka
