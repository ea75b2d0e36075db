#include "mysql/offsets_sql.hpp"

#include <fmt/format.h>

#include <iterator>

#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

std::string where_row(const Identity& who, const TopicPartition& partition) {
    return fmt::format(" WHERE connector = {} AND topic = {} AND partition_id = {}",
                       key_literal(who.connector),
                       key_literal(partition.topic),
                       partition.partition);
}

}  // namespace

std::string key_literal(std::string_view text) {
    return "_ascii" + mapping::string_literal(text) + " COLLATE ascii_bin";
}

std::string has_offsets_sql(const Identity& who, std::string_view topic) {
    auto sql = fmt::format("SELECT 1 FROM txsink_offsets WHERE connector = {}",
                           key_literal(who.connector));
    if (!topic.empty()) {
        sql += " AND topic = " + key_literal(topic);
    }
    return sql + " LIMIT 1";
}

std::string create_offsets_sql(const Identity& who,
                               std::span<const pipeline::PartitionStart> starts,
                               std::string_view cluster_id) {
    std::string sql =
        "INSERT INTO txsink_offsets (connector, topic, partition_id, next_offset, start_offset, "
        "fence, owner, cluster_id) VALUES ";
    for (const auto& start : starts) {
        fmt::format_to(std::back_inserter(sql),
                       "{}({}, {}, {}, {}, {}, 0, '', {})",
                       &start == starts.data() ? "" : ", ",
                       mapping::string_literal(who.connector),
                       mapping::string_literal(start.partition.topic),
                       start.partition.partition,
                       to_int(start.offset),
                       to_int(start.offset),
                       mapping::string_literal(cluster_id));
    }
    return sql + " ON DUPLICATE KEY UPDATE connector = txsink_offsets.connector";
}

std::string claim_sql(const Identity& who,
                      const TopicPartition& partition,
                      Fence fence,
                      Offset start,
                      std::string_view cluster_id) {
    const auto owner = mapping::string_literal(who.owner);
    return fmt::format(
        "INSERT INTO txsink_offsets (connector, topic, partition_id, next_offset, start_offset, "
        "fence, owner, cluster_id) VALUES ({}, {}, {}, {}, {}, {}, {}, {}) "
        "ON DUPLICATE KEY UPDATE fence = {}, owner = {}",
        mapping::string_literal(who.connector),
        mapping::string_literal(partition.topic),
        partition.partition,
        to_int(start),
        to_int(start),
        to_int(fence),
        owner,
        mapping::string_literal(cluster_id),
        to_int(fence),
        owner);
}

std::string lock_offset_sql(const Identity& who, const TopicPartition& partition) {
    return "SELECT next_offset, fence, start_offset, cluster_id, @@GLOBAL.read_only "
           "FROM txsink_offsets" +
           where_row(who, partition) + " FOR UPDATE";
}

void render_compare_and_set(std::string& sql, const Identity& who, const batch::Batch& batch) {
    sql = "UPDATE (";
    for (const auto& part : batch.partitions) {
        const bool is_first = &part == batch.partitions.data();
        // CAST, as a column of small and large integer literals would become a DECIMAL.
        fmt::format_to(std::back_inserter(sql),
                       "{}SELECT {} AS t, {} AS p, CAST({} AS UNSIGNED) AS f, {} AS b, {} AS e, "
                       "{} AS n, {} AS d, {} AS ts",
                       is_first ? "" : " UNION ALL ",
                       key_literal(part.partition.topic),
                       part.partition.partition,
                       to_int(part.fence),
                       to_int(part.begin),
                       to_int(part.end),
                       part.records,
                       part.dead_letters.size(),
                       part.last_timestamp_ms);
    }
    sql += ") v STRAIGHT_JOIN txsink_offsets o ON o.connector = ";
    sql += key_literal(who.connector);
    sql += " AND o.topic = v.t AND o.partition_id = v.p";
#if !defined(TXSINK_MUTATION_NO_CAS)
    sql += " AND o.fence = v.f";
#if !defined(TXSINK_MUTATION_TOKEN_ONLY)
    sql += " AND o.next_offset = v.b";
#endif
#endif
    sql +=
        " SET o.next_offset = v.e, o.records = o.records + v.n, "
        "o.dead_letters = o.dead_letters + v.d, "
        "o.last_timestamp_ms = IF(v.ts < 0, o.last_timestamp_ms, v.ts), "
        "o.updated_at = CURRENT_TIMESTAMP(6)";
}

std::string jump_sql(const Identity& who,
                     const TopicPartition& partition,
                     Fence fence,
                     const pipeline::Gap& gap,
                     std::string_view cluster_id) {
    // `updated_at` makes sure that a match changes the row, also where from = to.
    return fmt::format(
        "UPDATE txsink_offsets SET next_offset = {}, start_offset = LEAST(start_offset, {}), "
        "cluster_id = {}, "
        "updated_at = GREATEST(CURRENT_TIMESTAMP(6), updated_at + INTERVAL 1 MICROSECOND)"
        "{} AND fence = {} AND next_offset = {}",
        to_int(gap.to),
        to_int(gap.to),
        mapping::string_literal(cluster_id),
        where_row(who, partition),
        to_int(fence),
        to_int(gap.from));
}

std::string gap_sql(const Identity& who,
                    const TopicPartition& partition,
                    const pipeline::Gap& gap) {
    return fmt::format(
        "INSERT INTO txsink_gaps (connector, topic, partition_id, from_offset, to_offset, reason, "
        "created_by) VALUES ({}, {}, {}, {}, {}, {}, {})",
        mapping::string_literal(who.connector),
        mapping::string_literal(partition.topic),
        partition.partition,
        to_int(gap.from),
        to_int(gap.to),
        mapping::string_literal(gap.reason),
        mapping::string_literal(who.owner));
}

}  // namespace txsink::mysql
