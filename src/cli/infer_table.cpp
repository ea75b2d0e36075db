#include "cli/infer_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/infer_key.hpp"
#include "cli/infer_types.hpp"
#include "cli/output.hpp"
#include "txsink/core/ascii.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::cli {
namespace {

using decode::Format;

constexpr std::size_t kLongestName = 64;
/// Of 65535 that all columns of a row share; with room for columns to come.
constexpr std::size_t kRowBytes = 60'000;

const char* name_of(Format format) {
    switch (format) {
        case Format::json:
            return "json";
        case Format::json_schema:
            return "json-schema";
        case Format::debezium:
            return "debezium";
        case Format::raw:
            return "raw";
    }
    return "";
}

/// Empty: `name` can be that of a column.
std::string complaint_about(std::string_view name) {
    const auto characters = std::count_if(name.begin(), name.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
    if (name.empty() || name.ends_with(' ') || name.find('\0') != std::string_view::npos) {
        return "MySQL takes no such name";
    }
    if (std::any_of(name.begin(), name.end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x20 || c == '\x7F';
        })) {
        return "control characters in a name";  // a terminal would obey them
    }
    if (static_cast<std::size_t>(characters) > kLongestName) {
        return "longer than the 64 characters of a name";
    }
    const bool has_large = std::any_of(
        name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xF0; });
    return has_large ? "MySQL's names have no characters beyond U+FFFF" : "";
}

const ColumnProposal* find_column(const Proposal& proposal, std::string_view name) {
    const auto at = std::find_if(
        proposal.columns.begin(), proposal.columns.end(), [&](const ColumnProposal& column) {
            return equals_without_case(column.name, name);
        });
    return at == proposal.columns.end() ? nullptr : &*at;
}

/// Letters, digits and underscores of `text`.
std::string simple_name(std::string_view text) {
    std::string name{text.substr(0, kLongestName)};
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

ColumnProposal column_of(const std::string& name,
                         const FieldEvidence& evidence,
                         std::uint64_t rows,
                         bool is_key,
                         bool with_examples) {
    auto type = propose_type(name, evidence, is_key);
    ColumnProposal column{name, type.sql, is_key, type.row_bytes, {}};
    column.notes.push_back(describe(evidence, rows, with_examples));
    column.notes.insert(column.notes.end(), type.notes.begin(), type.notes.end());
    return column;
}

class Maker {
public:
    Maker(const Sample& sample, const ProposalSettings& settings)
        : sample_{sample}, settings_{settings} {}

    Proposal make() {
        name_all();
        note_all();
        key_ = propose_key(sample_);
        add_key();
        add_fields();
        keep_within_a_row();
        set_options();
        return std::move(proposal_);
    }

private:
    void name_all() {
        proposal_.table = settings_.table;
        if (proposal_.table.table.empty()) {
            const std::string_view topic{settings_.topic};
            proposal_.table.table = simple_name(topic.substr(topic.rfind('.') + 1));
        }
        proposal_.route = simple_name(settings_.topic);
    }

    void note_all() {
        proposal_.notes.push_back(fmt::format("from {} records of {}: {} rows, {} removals",
                                              sample_.records(),
                                              printable(settings_.topic),
                                              sample_.rows(),
                                              sample_.removals()));
        for (const auto& [code, count] : sample_.refused()) {
            proposal_.notes.push_back(fmt::format(
                "{} records cannot be read as {}: {}", count, name_of(sample_.format()), code));
        }
        const auto& fields = sample_.fields();
        if (sample_.format() == Format::json &&
            (fields.find("payload") != nullptr || fields.find("op") != nullptr) &&
            (fields.find("schema") != nullptr || fields.find("after") != nullptr)) {
            proposal_.notes.emplace_back(
                "these look like change events or envelopes: try --format debezium or "
                "--format json-schema");
        }
        if (fields.left_out() > 0) {
            proposal_.notes.push_back(
                fmt::format("only the first {} field names were looked at", Fields::kMost));
        }
    }

    void add_key() {
        proposal_.notes.push_back(key_.note);
        for (const auto& [name, evidence] : key_.columns) {
            if (evidence != nullptr) {
                const auto rows = key_.is_of_record && sample_.fields().find(name) != evidence
                                      ? sample_.key().present
                                      : sample_.rows();
                proposal_.columns.push_back(
                    column_of(name, *evidence, rows, true, settings_.with_examples));
            } else {
                const auto* type = key_.format == "int64"   ? "BIGINT"
                                   : key_.format == "int32" ? "INT"
                                                            : "VARBINARY(255)";
                proposal_.columns.push_back({name, type, true, 257, {}});
            }
            if (key_.is_of_record) {
                proposal_.columns.back().notes.emplace_back("from the record's key");
            }
            proposal_.key.push_back(name);
        }
    }

    void add_fields() {
        for (const auto& field : sample_.fields().all()) {
            const auto complaint = complaint_about(field.name);
            if (!complaint.empty()) {
                proposal_.notes.push_back(
                    fmt::format("left out: field {}: {}", json_string(field.name), complaint));
                continue;
            }
            const auto* other = find_column(proposal_, field.name);
            if (other == nullptr) {
                proposal_.columns.push_back(column_of(
                    field.name, field.evidence, sample_.rows(), false, settings_.with_examples));
            } else if (!other->is_key && other->name != field.name) {
                excluded_ += (excluded_.empty() ? "" : ",") + field.name;
                proposal_.notes.push_back(
                    fmt::format("left out: field {}: to MySQL the same name as {}",
                                json_string(field.name),
                                json_string(other->name)));
            }
        }
    }

    /// The longest VARCHARs become TEXT until a row has room for all columns.
    void keep_within_a_row() {
        const auto total = [&] {
            std::size_t sum = 0;
            for (const auto& column : proposal_.columns) {
                sum += column.row_bytes;
            }
            return sum;
        };
        while (total() > kRowBytes) {
            ColumnProposal* longest = nullptr;
            for (auto& column : proposal_.columns) {
                const bool is_first = longest == nullptr || longest->row_bytes < column.row_bytes;
                if (!column.is_key && column.type.starts_with("VARCHAR") && is_first) {
                    longest = &column;
                }
            }
            if (longest == nullptr) {
                return;
            }
            const auto* evidence = sample_.fields().find(longest->name);
            const auto type = long_text(*evidence);
            longest->type = type.sql;
            longest->row_bytes = type.row_bytes;
            longest->notes.emplace_back("TEXT, as a row has no room for so many VARCHARs");
        }
    }

    void set_options() {
        const auto set = [&](const char* name, const std::string& value) {
            proposal_.options.emplace_back(name, value);
        };
        set("topic", settings_.topic);
        set("table", option_of(proposal_.table));
        set("format", name_of(sample_.format()));
        set("mode", proposal_.key.empty() ? "insert" : "upsert");
        if (key_.is_of_record) {
            set("key", "record");
        }
        if (!key_.format.empty()) {
            set("key-format", key_.format);
        }
        if (proposal_.key.empty() && sample_.removals() > 0) {
            set("tombstone", "ignore");
        }
        if (!excluded_.empty()) {
            set("exclude-fields", excluded_);
        }
        if (sample_.format() == Format::raw) {
            set("column.value", "$");
        }
    }

    static std::string option_of(const mapping::TableName& table) {
        const auto part = [](const std::string& name) {
            return name.find_first_of(".`") == std::string::npos ? name : mapping::identifier(name);
        };
        return (table.database.empty() ? "" : part(table.database) + ".") + part(table.table);
    }

    const Sample& sample_;
    const ProposalSettings& settings_;
    KeyProposal key_;
    std::string excluded_;
    Proposal proposal_;
};

}  // namespace

Proposal propose(const Sample& sample, const ProposalSettings& settings) {
    return Maker{sample, settings}.make();
}

std::string table_text(const Proposal& proposal) {
    std::string text;
    for (const auto& note : proposal.notes) {
        text += fmt::format("-- {}\n", note);
    }
    text += "CREATE TABLE ";
    if (!proposal.table.database.empty()) {
        text += mapping::identifier(proposal.table.database) + ".";
    }
    text += mapping::identifier(proposal.table.table) + " (\n";
    for (std::size_t i = 0; i < proposal.columns.size(); ++i) {
        const auto& column = proposal.columns[i];
        for (const auto& note : column.notes) {
            text += fmt::format("    -- {}\n", note);
        }
        const bool is_last = i + 1 == proposal.columns.size() && proposal.key.empty();
        text += fmt::format("    {} {} {}{}\n",
                            mapping::identifier(column.name),
                            column.type,
                            column.is_key ? "NOT NULL" : "NULL",
                            is_last ? "" : ",");
    }
    if (!proposal.key.empty()) {
        std::string key;
        for (const auto& name : proposal.key) {
            key += (key.empty() ? "" : ", ") + mapping::identifier(name);
        }
        text += fmt::format("    PRIMARY KEY ({})\n", key);
    }
    return text + ") ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;\n";
}

std::string route_text(const Proposal& proposal) {
    auto text = fmt::format("[route.{}]\n", proposal.route);
    for (const auto& [name, value] : proposal.options) {
        text += fmt::format("{} = {}\n", name, value);
    }
    return text;
}

}  // namespace txsink::cli
