#include "txsink/mysql/offsets_reader.hpp"

#include <charconv>
#include <string>

#include "mysql/server_error.hpp"
#include "mysql/session.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

template <typename Number>
Number number_of(const std::optional<std::string>& cell) {
    Number number = 0;
    if (cell) {
        std::from_chars(cell->data(), cell->data() + cell->size(), number);
    }
    return number;
}

}  // namespace

std::vector<OffsetRow> read_offset_rows(Session& session, std::string_view connector) {
    std::vector<Row> rows;
    try {
        rows = session.query(
            "SELECT topic, partition_id, next_offset, start_offset, fence, owner, cluster_id, "
            "records, dead_letters, last_timestamp_ms, "
            "TIMESTAMPDIFF(MICROSECOND, updated_at, CURRENT_TIMESTAMP(6)) DIV 1000 "
            "FROM txsink_offsets WHERE connector = " +
            mapping::string_literal(connector) + " ORDER BY topic, partition_id");
    } catch (const SinkError& error) {
        throw within("reading the offsets", on_own_table(error));
    }
    std::vector<OffsetRow> result;
    result.reserve(rows.size());
    for (const auto& row : rows) {
        OffsetRow offset;
        offset.partition = {row.at(0).value_or(""), number_of<std::int32_t>(row.at(1))};
        offset.next = Offset{number_of<std::int64_t>(row.at(2))};
        offset.start = Offset{number_of<std::int64_t>(row.at(3))};
        offset.fence = Fence{number_of<std::uint64_t>(row.at(4))};
        offset.owner = row.at(5).value_or("");
        offset.cluster_id = row.at(6).value_or("");
        offset.records = number_of<std::uint64_t>(row.at(7));
        offset.dead_letters = number_of<std::uint64_t>(row.at(8));
        if (row.at(9)) {
            offset.last_timestamp_ms = number_of<std::int64_t>(row.at(9));
        }
        offset.age = std::chrono::milliseconds{number_of<std::int64_t>(row.at(10))};
        result.push_back(std::move(offset));
    }
    return result;
}

}  // namespace txsink::mysql
