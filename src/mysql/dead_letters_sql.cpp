#include "mysql/dead_letters_sql.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "txsink/core/result.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

constexpr std::array<const char*, 9> kNotKey{"record_key",
                                             "record_value",
                                             "record_headers",
                                             "record_timestamp_ms",
                                             "error_code",
                                             "error_number",
                                             "error_text",
                                             "target_table",
                                             "created_at"};
/// Width of the columns: bytes, and characters.
constexpr std::size_t kLongestText = 60'000;
constexpr std::size_t kLongestTarget = 129;
/// More than the numbers, names and quotes of a row take.
constexpr std::size_t kRowFrame = 2'048;

/// The first `most` bytes of `text`, or less: no character is cut in two.
std::string_view cut(std::string_view text, std::size_t most) {
    if (text.size() <= most) {
        return text;
    }
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) {
        --most;
    }
    return text.substr(0, most);
}

std::string_view cut_characters(std::string_view text, std::size_t most) {
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
        if (begins && most-- == 0) {
            break;
        }
    }
    return text.substr(0, at);
}

void append_optional_bytes(std::string& sql, const std::optional<std::string>& bytes) {
    if (bytes) {
        mapping::append_bytes(sql, *bytes);
    } else {
        sql += "NULL";
    }
    sql += ',';
}

const std::string& text_of(const RecordError& error) {
    return error.private_text.empty() ? error.message : error.private_text;
}

/// A dead letter, and what of it fits into a packet.
class Fitted {
public:
    Fitted(const batch::DeadLetter& letter, std::size_t room) : letter_{letter} {
        const auto size_of = [](const std::optional<std::string>& bytes) {
            return bytes ? 2 * bytes->size() : 0;
        };
        // A character of the text, or of the headers, takes two where it is escaped.
        longest_text_ = std::min(kLongestText, room > 2 * kRowFrame ? (room - kRowFrame) / 2 : 0);
        std::size_t bytes = kRowFrame + size_of(letter.key) + size_of(letter.value) +
                            2 * letter.headers.size() +
                            2 * std::min(text_of(letter.error).size(), longest_text_);
        const auto leave_out = [&](const char* what, std::size_t in_sql, std::size_t size) {
            if (bytes <= room || size == 0) {
                return true;
            }
            bytes -= in_sql;
            note_ += fmt::format(" [{} of {}{}", what, size, kLeftOut);
            return false;
        };
        has_value_ = leave_out("value", size_of(letter.value), size_of(letter.value) / 2);
        has_key_ = leave_out("key", size_of(letter.key), size_of(letter.key) / 2);
        has_headers_ = leave_out("headers", 2 * letter.headers.size(), letter.headers.size());
    }

    void append(std::string& sql, const Identity& who, const TopicPartition& partition) const {
        sql += '(';
        mapping::append_string(sql, who.connector);
        sql += ',';
        mapping::append_string(sql, partition.topic);
        fmt::format_to(
            std::back_inserter(sql), ",{},{},", partition.partition, to_int(letter_.offset));
        append_optional_bytes(sql, has_key_ ? letter_.key : std::nullopt);
        append_optional_bytes(sql, has_value_ ? letter_.value : std::nullopt);
        if (letter_.headers.empty() || !has_headers_) {
            sql += "NULL";
        } else {
            mapping::append_string(sql, letter_.headers);
        }
        sql += ',';
        sql += letter_.timestamp_ms < 0 ? "NULL" : std::to_string(letter_.timestamp_ms);
        sql += ',';
        mapping::append_string(sql, name_of(letter_.error.code));
        sql += ',';
        sql += letter_.error.native_code == 0 ? "NULL" : std::to_string(letter_.error.native_code);
        sql += ',';
        std::string text{cut(text_of(letter_.error), longest_text_)};
        mapping::append_string(sql, text + note_);
        sql += ',';
        mapping::append_string(sql, cut_characters(letter_.target, kLongestTarget));
        sql += ",CURRENT_TIMESTAMP(6))";
    }

private:
    const batch::DeadLetter& letter_;
    bool has_value_ = true;
    bool has_key_ = true;
    bool has_headers_ = true;
    std::size_t longest_text_ = kLongestText;
    std::string note_;
};

std::string insert_head() {
    return fmt::format(
        "INSERT INTO txsink_dead_letters (connector, topic, partition_id, record_offset, {}) "
        "VALUES ",
        fmt::join(kNotKey, ", "));
}

std::string insert_tail(batch::Dialect dialect) {
    const bool has_alias = dialect == batch::Dialect::row_alias;
    std::string sql =
        has_alias ? " AS txsink_new ON DUPLICATE KEY UPDATE " : " ON DUPLICATE KEY UPDATE ";
    for (const auto* column : kNotKey) {
        sql += column == kNotKey.front() ? "" : ", ";
        sql += has_alias ? fmt::format("{} = txsink_new.{}", column, column)
                         : fmt::format("{} = VALUES({})", column, column);
    }
    return sql;
}

/// From milliseconds since 1970 UTC to a literal that compares with a TIMESTAMP.
std::string moment(std::int64_t milliseconds) {
    return fmt::format("FROM_UNIXTIME({}.{:03})", milliseconds / 1'000, milliseconds % 1'000);
}

/// The rows behind `key`. Not a comparison of row values: MySQL would read the whole table.
std::string behind(const DeadLetterKey& key) {
    const auto topic = key_literal(key.partition.topic);
    return fmt::format(
        " AND topic >= {0} AND (topic > {0} OR partition_id > {1} OR (partition_id = {1} AND "
        "record_offset > {2}))",
        topic,
        key.partition.partition,
        to_int(key.offset));
}

std::string where(std::string_view connector, const DeadLetterFilter& filter) {
    std::string sql = " WHERE connector = " + key_literal(connector);
    if (!filter.topic.empty()) {
        sql += " AND topic = " + key_literal(filter.topic);
    }
    if (filter.partition) {
        sql += fmt::format(" AND partition_id = {}", *filter.partition);
    }
    if (filter.first) {
        sql += fmt::format(" AND record_offset >= {}", to_int(*filter.first));
    }
    if (filter.last) {
        sql += fmt::format(" AND record_offset <= {}", to_int(*filter.last));
    }
    if (filter.since_ms) {
        sql += " AND created_at >= " + moment(std::max<std::int64_t>(*filter.since_ms, 0));
    }
    if (filter.until_ms) {
        sql += " AND created_at < " + moment(std::max<std::int64_t>(*filter.until_ms, 0));
    }
    if (!filter.error_code.empty()) {
        sql += " AND error_code = " + key_literal(filter.error_code);
    }
    if (filter.after) {
        sql += behind(*filter.after);
    }
    return sql;
}

}  // namespace

std::vector<std::string> insert_dead_letters_sql(const Identity& who,
                                                 const batch::Batch& batch,
                                                 batch::Dialect dialect,
                                                 std::size_t usual_bytes,
                                                 std::size_t packet_bytes) {
    std::vector<std::string> statements;
    const auto head = insert_head();
    const auto tail = insert_tail(dialect);
    const std::size_t frame = head.size() + tail.size() + 1;
    const std::size_t room = packet_bytes > frame ? packet_bytes - frame : 0;
    const auto finish = [&] {
        if (!statements.empty()) {
            statements.back() += tail;
        }
    };
    std::string row;
    for (const auto& part : batch.partitions) {
        for (const auto& letter : part.dead_letters) {
            row.clear();
            Fitted{letter, room}.append(row, who, part.partition);
            if (statements.empty() || statements.back().size() + row.size() + frame > usual_bytes) {
                finish();
                statements.push_back(head + row);
            } else {
                statements.back() += ',' + row;
            }
        }
    }
    finish();
    return statements;
}

std::string last_dead_letter_sql(const Identity& who, const TopicPartition& partition) {
    return fmt::format(
        "SELECT MAX(record_offset) FROM txsink_dead_letters WHERE connector = {} AND topic = {} "
        "AND partition_id = {}",
        key_literal(who.connector),
        key_literal(partition.topic),
        partition.partition);
}

std::string forget_dead_letters_sql(const Identity& who, const batch::PartitionBatch& part) {
    return fmt::format(
        "DELETE FROM txsink_dead_letters WHERE connector = {} AND topic = {} AND partition_id = {} "
        "AND record_offset >= {} AND record_offset < {}",
        key_literal(who.connector),
        key_literal(part.partition.topic),
        part.partition.partition,
        to_int(part.begin),
        to_int(part.end));
}

std::string select_dead_letters_sql(std::string_view connector,
                                    const DeadLetterFilter& filter,
                                    DeadLetterContent content,
                                    std::size_t most) {
    const auto* const columns = content == DeadLetterContent::whole
                                    ? "record_key, record_value, record_headers"
                                : content == DeadLetterContent::key ? "record_key, NULL, NULL"
                                                                    : "NULL, NULL, NULL";
    return fmt::format(
        "SELECT topic, partition_id, record_offset, {}, record_timestamp_ms, error_code, "
        "error_number, error_text, target_table, created_at, LENGTH(record_key), "
        "LENGTH(record_value) FROM txsink_dead_letters{} "
        "ORDER BY connector, topic, partition_id, record_offset LIMIT {}",
        columns,
        where(connector, filter),
        most);
}

std::string count_dead_letters_sql(std::string_view connector, const DeadLetterFilter& filter) {
    return "SELECT COUNT(*) FROM txsink_dead_letters" + where(connector, filter);
}

std::string count_dead_letters_by_code_sql(std::string_view connector,
                                           const DeadLetterFilter& filter) {
    return "SELECT error_code, COUNT(*) FROM txsink_dead_letters" + where(connector, filter) +
           " GROUP BY error_code";
}

std::string note_refusal_sql(std::string_view connector, const RefusedLetter& letter) {
    const auto& error = letter.error;
    return fmt::format(
        "UPDATE txsink_dead_letters SET error_code = {}, error_number = {}, error_text = {}, "
        "target_table = {}, created_at = CURRENT_TIMESTAMP(6) WHERE connector = {} AND topic = {} "
        "AND partition_id = {} AND record_offset = {}",
        mapping::string_literal(name_of(error.code)),
        error.native_code == 0 ? "NULL" : std::to_string(error.native_code),
        mapping::string_literal(cut(text_of(error), kLongestText)),
        mapping::string_literal(cut_characters(letter.target, kLongestTarget)),
        key_literal(connector),
        key_literal(letter.key.partition.topic),
        letter.key.partition.partition,
        to_int(letter.key.offset));
}

std::string delete_dead_letters_sql(std::string_view connector,
                                    std::span<const DeadLetterKey> keys) {
    std::string sql = "DELETE FROM txsink_dead_letters WHERE ";
    for (const auto& key : keys) {
        sql += &key == keys.data() ? "" : " OR ";
        sql += fmt::format(
            "(connector = {} AND topic = {} AND partition_id = {} AND record_offset = {})",
            key_literal(connector),
            key_literal(key.partition.topic),
            key.partition.partition,
            to_int(key.offset));
    }
    return sql;
}

}  // namespace txsink::mysql
