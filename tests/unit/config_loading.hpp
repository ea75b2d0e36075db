/// @file
/// Options loaded for a test, and what a wrong one says.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "txsink/config/load.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::config::testing {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// A file that is gone with the test.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& content) {
        auto pattern = (std::filesystem::temp_directory_path() / "txsink-XXXXXX").string();
        const int file = mkstemp(pattern.data());
        path_ = pattern;
        EXPECT_EQ(write(file, content.data(), content.size()),
                  static_cast<ssize_t>(content.size()));
        close(file);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { std::filesystem::remove(path_); }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// The smallest command line that is complete.
inline Pairs minimal() {
    return {{"kafka.bootstrap.servers", "127.0.0.1:9092"},
            {"mysql.uri", "mysql://sink@127.0.0.1/shop"},
            {"topic", "orders"},
            {"table", "orders"}};
}

/// minimal(), with `more` instead of or beside its options.
inline Pairs with(const Pairs& more) {
    auto options = minimal();
    for (const auto& [name, value] : more) {
        std::erase_if(options, [&, key = name](const auto& pair) { return pair.first == key; });
        options.emplace_back(name, value);
    }
    return options;
}

// Unlike load(), may be called for its error alone.
inline Settings load_from(const Sources& sources, const Needs& needs) {
    return load(sources, needs);
}

inline Settings load_line(const Pairs& command_line) {
    return load_from(Sources{command_line, {}, {}}, Needs{});
}

inline Settings load_file(const std::string& content,
                          const std::vector<std::string>& environment = {}) {
    const TemporaryFile file{content};
    return load_from(Sources{{}, environment, file.path()}, Needs{});
}

struct Message {
    ErrorKind kind{};
    std::string what;
    std::string detail;
    std::string hint;

    [[nodiscard]] std::string all() const { return what + "\n" + detail + "\n" + hint; }
};

inline Message message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const SinkError& error) {
        return {error.kind, error.what(), error.detail, error.hint};
    }
    ADD_FAILURE() << "no error";
    return {};
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The file that goes before the routes of a test: all else that is needed.
constexpr const char* kHead =
    "connector = c\n[kafka]\nbootstrap.servers = h:1\n[mysql]\nuri = mysql://u@h/d\n";

}  // namespace txsink::config::testing
