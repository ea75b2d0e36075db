/// @file
/// Migrations as files: their names, their order and their checksums.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>

#include "mysql/built_in_migrations.hpp"
#include "mysql/migration_history.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/migrations.hpp"

namespace txsink::mysql {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// `001_10` -> `1.10`; empty when it is no version.
std::string normal_version(std::string_view text) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == '.' || c == '_') {
            parts.emplace_back();
        } else if (is_digit(c)) {
            parts.back() += c;
        } else {
            return {};
        }
    }
    for (auto& part : parts) {
        if (part.empty() || part.size() > 18) {
            return {};
        }
        part.erase(0, std::min(part.find_first_not_of('0'), part.size() - 1));
    }
    while (parts.size() > 1 && parts.back() == "0") {
        parts.pop_back();
    }
    return fmt::format("{}", fmt::join(parts, "."));
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (!file) {
        throw SinkError{ErrorKind::configuration, fmt::format("cannot read {}", path.string())};
    }
    return text;
}

void sort_by_version(MigrationSet& set) {
    auto& all = set.migrations;
    std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
        return is_older(left.version, right.version);
    });
    const auto twice =
        std::adjacent_find(all.begin(), all.end(), [](const auto& left, const auto& right) {
            return left.version == right.version;
        });
    if (twice != all.end()) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("two migrations have the version {}", twice->version),
                        fmt::format("{} and {}", twice->file_name, (twice + 1)->file_name),
                        "give one of them a version of its own"};
    }
}

}  // namespace

std::string checksum_of(std::string_view text) {
    constexpr std::uint64_t kBasis = 0xcbf29ce484222325;
    constexpr std::uint64_t kPrime = 0x100000001b3;
    std::uint64_t hash = kBasis;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            continue;
        }
        hash = (hash ^ static_cast<unsigned char>(text[i])) * kPrime;
    }
    return fmt::format("{:016x}", hash);
}

bool is_older(std::string_view left, std::string_view right) {
    while (!left.empty() && !right.empty()) {
        const auto a = left.substr(0, left.find('.'));
        const auto b = right.substr(0, right.find('.'));
        // Without leading zeros, so the longer number is the larger one.
        if (a != b) {
            return a.size() != b.size() ? a.size() < b.size() : a < b;
        }
        left.remove_prefix(std::min(a.size() + 1, left.size()));
        right.remove_prefix(std::min(b.size() + 1, right.size()));
    }
    return left.empty() && !right.empty();
}

const char* name_of(MigrationSource source) noexcept {
    return source == MigrationSource::txsink ? "txsink" : "user";
}

Migration make_migration(std::string_view file_name, std::string_view text) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    constexpr std::string_view kSuffix = ".sql";
    text.remove_prefix(text.starts_with(kMark) ? kMark.size() : 0);
    Migration migration;
    const auto separator = file_name.find("__");
    if (file_name.starts_with('V') && file_name.ends_with(kSuffix) &&
        separator != std::string_view::npos && file_name.size() > separator + 2 + kSuffix.size()) {
        migration.version = normal_version(file_name.substr(1, separator - 1));
        migration.description =
            file_name.substr(separator + 2, file_name.size() - separator - 2 - kSuffix.size());
        std::replace(migration.description.begin(), migration.description.end(), '_', ' ');
    }
    if (migration.version.empty()) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("{} is not named like a migration", file_name),
                        "names are V<version>__<description>.sql, with a version like 3 or 3.1; "
                        "repeatable (R__) and undo (U__) migrations are not supported",
                        "rename it, or move it elsewhere"};
    }
    migration.file_name = file_name;
    migration.sql = text;
    migration.checksum = checksum_of(text);
    return migration;
}

MigrationSet built_in_migrations() {
    MigrationSet set{MigrationSource::txsink, {}};
    for (const auto& file : built_in_files()) {
        set.migrations.push_back(make_migration(file.name, file.text));
    }
    sort_by_version(set);
    return set;
}

MigrationSet load_migrations(const std::filesystem::path& directory) {
    MigrationSet set{MigrationSource::user, {}};
    std::error_code error;
    std::filesystem::directory_iterator entry{directory, error};
    if (error) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("cannot read the folder {}", directory.string()),
                        error.message(),
                        "--schema-dir names a folder with files V<version>__<description>.sql"};
    }
    for (; entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
        if (entry->path().extension() == ".sql" && !entry->is_directory()) {
            set.migrations.push_back(
                make_migration(entry->path().filename().string(), read_file(entry->path())));
        }
    }
    if (set.migrations.empty()) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("there is no migration in {}", directory.string()),
                        {},
                        "--schema-dir names a folder with files V<version>__<description>.sql"};
    }
    sort_by_version(set);
    return set;
}

std::string to_text(const MigrationSet& set) {
    std::string text;
    for (const auto& migration : set.migrations) {
        text += fmt::format("{}-- {}\n{}{}",
                            text.empty() ? "" : "\n",
                            migration.file_name,
                            migration.sql,
                            migration.sql.ends_with('\n') ? "" : "\n");
    }
    return text;
}

}  // namespace txsink::mysql
