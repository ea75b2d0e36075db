/// @file
/// Topics of a real broker for tests: makes, changes and deletes them by Kafka's admin protocol.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace txsink::test {

/// `prefix` with the process id, the time and a counter: no two tests share a topic or a group.
[[nodiscard]] std::string unique_name(const std::string& prefix);

/// Each waits until the change can be seen in the broker's metadata; errors throw
/// std::runtime_error. Threading: any.
void create_topic(const std::string& bootstrap,
                  const std::string& topic,
                  int partitions,
                  const std::map<std::string, std::string>& settings = {});
void delete_topic(const std::string& bootstrap, const std::string& topic);
/// `total`: how many there are afterwards.
void add_partitions(const std::string& bootstrap, const std::string& topic, int total);
/// Deletes the records before `offset`: moves the start of the log.
void delete_records(const std::string& bootstrap,
                    const std::string& topic,
                    std::int32_t partition,
                    std::int64_t offset);
/// Commits an offset to a group that has no members.
void commit_group_offset(const std::string& bootstrap,
                         const std::string& group,
                         const std::string& topic,
                         std::int32_t partition,
                         std::int64_t offset);
/// What a group has committed, or -1.
[[nodiscard]] std::int64_t committed_offset(const std::string& bootstrap,
                                            const std::string& group,
                                            const std::string& topic,
                                            std::int32_t partition);

}  // namespace txsink::test
