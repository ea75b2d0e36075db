/// @file
/// The records of a workload: the same ones each time, and what the table holds after them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zipf.hpp"

namespace txsink::bench {

/// What a record's value looks like.
enum class RecordForm : std::uint8_t {
    order,         ///< eight fields, about 200 bytes
    wide,          ///< a hundred fields
    change_event,  ///< an order in Debezium's envelope, without schema
};

/// Which keys come.
enum class KeyOrder : std::uint8_t {
    each_once,  ///< 1, 2, 3, ...
    hot,        ///< a tenth as many keys as records, by Zipf's law (exponent 1)
    customers,  ///< the customer is the key; there are 10,000
};

struct RecordPlan {
    RecordForm form = RecordForm::order;
    KeyOrder keys = KeyOrder::each_once;
    /// Of a hundred records, so many are tombstones of a key that came before.
    unsigned tombstones_percent = 0;

    friend bool operator==(const RecordPlan&, const RecordPlan&) = default;
};

/// A record to produce; the views live until the maker's next one.
struct MadeRecord {
    std::string_view key;
    /// Absent: a tombstone.
    std::optional<std::string_view> value;
};

/// What a table holds once every record counted exactly once.
struct Content {
    std::uint64_t rows = 0;
    /// Of the column `amount`.
    std::int64_t cents = 0;

    friend bool operator==(const Content&, const Content&) = default;
};

/// Customers of KeyOrder::customers: numbers from 0.
inline constexpr std::int64_t kCustomers = 10'000;

/// Makes the records of a plan, one after another.
/// Threading: one thread.
class RecordMaker {
public:
    /// `records`: how many there will be.
    RecordMaker(RecordPlan plan, std::uint64_t records);

    [[nodiscard]] MadeRecord next();

    /// Where the last record of a key is its state: a tombstone's row is gone.
    [[nodiscard]] Content last_states() const;
    /// Where the amounts of all records of a key add up; as many rows as there are keys.
    [[nodiscard]] Content sums() const;

private:
    [[nodiscard]] std::int64_t next_key();
    void append_order(std::int64_t id, std::int64_t customer, std::int64_t cents);
    void append_wide(std::int64_t id, std::int64_t cents);

    RecordPlan plan_;
    Random random_{20'260'301};
    std::optional<Zipf> zipf_;
    std::uint64_t made_ = 0;
    std::int64_t last_key_ = 0;
    std::string key_;
    std::string value_;
    /// By key: what was said last; nothing: no row.
    std::vector<std::optional<std::int64_t>> cents_by_key_;
    std::int64_t all_cents_ = 0;
};

}  // namespace txsink::bench
