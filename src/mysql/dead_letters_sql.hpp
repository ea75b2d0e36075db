/// @file
/// The SQL of txsink_dead_letters.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mysql/offsets_sql.hpp"
#include "txsink/batch/batch.hpp"
#include "txsink/batch/write_plan.hpp"
#include "txsink/mysql/dead_letters.hpp"

namespace txsink::mysql {

/// How the text of a dead letter ends whose key or value was left out.
inline constexpr std::string_view kLeftOut = " bytes left out]";

/// Multi-row INSERTs of the batch's dead letters; of two for one record the newest stays.
/// Statements are about `usual_bytes` long, and never longer than `packet_bytes`: what does not
/// fit (value, key, headers, in this order) is stored as NULL, and the error text says so. The
/// text is the error's in full, with the values in it.
[[nodiscard]] std::vector<std::string> insert_dead_letters_sql(const Identity& who,
                                                               const batch::Batch& batch,
                                                               batch::Dialect dialect,
                                                               std::size_t usual_bytes,
                                                               std::size_t packet_bytes);

/// SELECT of the highest offset of a partition's dead letters: one row, NULL where it has none.
[[nodiscard]] std::string last_dead_letter_sql(const Identity& who,
                                               const TopicPartition& partition);

/// DELETE of the dead letters of the records that a part of a batch moves past.
[[nodiscard]] std::string forget_dead_letters_sql(const Identity& who,
                                                  const batch::PartitionBatch& part);

/// SELECT of a page of dead letters: see read_dead_letters().
[[nodiscard]] std::string select_dead_letters_sql(std::string_view connector,
                                                  const DeadLetterFilter& filter,
                                                  DeadLetterContent content,
                                                  std::size_t most);

[[nodiscard]] std::string count_dead_letters_sql(std::string_view connector,
                                                 const DeadLetterFilter& filter);

[[nodiscard]] std::string count_dead_letters_by_code_sql(std::string_view connector,
                                                         const DeadLetterFilter& filter);

/// UPDATE of the reason of one letter.
[[nodiscard]] std::string note_refusal_sql(std::string_view connector, const RefusedLetter& letter);

/// DELETE by primary keys. Precondition: there are some.
[[nodiscard]] std::string delete_dead_letters_sql(std::string_view connector,
                                                  std::span<const DeadLetterKey> keys);

}  // namespace txsink::mysql
