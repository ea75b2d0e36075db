#include "records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace txsink::bench {
namespace {

constexpr std::array<const char*, 5> kStates{"new", "paid", "packed", "shipped", "returned"};
/// Milliseconds of a day.
constexpr std::int64_t kDay = 86'400'000;
/// 2026-03-01T00:00:00Z in ms since 1970.
constexpr std::int64_t kFirstDay = 1'772'323'200'000;

std::size_t number_of_keys(const RecordPlan& plan, std::uint64_t records) {
    switch (plan.keys) {
        case KeyOrder::hot:
            return static_cast<std::size_t>(std::max<std::uint64_t>(records / 10, 1));
        case KeyOrder::customers:
            return static_cast<std::size_t>(kCustomers);
        case KeyOrder::each_once:
            break;
    }
    return static_cast<std::size_t>(records);
}

}  // namespace

RecordMaker::RecordMaker(RecordPlan plan, std::uint64_t records)
    : plan_{plan}, cents_by_key_(number_of_keys(plan, records) + 1) {
    if (plan.keys == KeyOrder::hot) {
        zipf_.emplace(cents_by_key_.size() - 1, 1.0);
    }
}

std::int64_t RecordMaker::next_key() {
    switch (plan_.keys) {
        case KeyOrder::hot: {
            // The hot keys stand apart from each other, as they do in a real table.
            constexpr std::uint64_t kPrime = 1'000'003;
            return static_cast<std::int64_t>(1 + zipf_->next(random_) * kPrime %
                                                     (cents_by_key_.size() - 1));
        }
        case KeyOrder::customers:
            return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(kCustomers)));
        case KeyOrder::each_once:
            break;
    }
    return ++last_key_;
}

MadeRecord RecordMaker::next() {
    key_.clear();
    value_.clear();
    ++made_;
    const bool is_tombstone = plan_.tombstones_percent > 0 && last_key_ > 0 &&
                              random_.below(100) < plan_.tombstones_percent;
    const auto key =
        is_tombstone
            ? static_cast<std::int64_t>(1 + random_.below(static_cast<std::uint64_t>(last_key_)))
            : next_key();
    fmt::format_to(std::back_inserter(key_), "{}", key);
    auto& said = cents_by_key_[static_cast<std::size_t>(key)];
    if (is_tombstone) {
        said.reset();
        return {key_, std::nullopt};
    }
    const auto cents = static_cast<std::int64_t>(1 + random_.below(999'999));
    said = cents;
    all_cents_ += cents;
    const bool is_customer = plan_.keys == KeyOrder::customers;
    if (plan_.form == RecordForm::wide) {
        append_wide(key, cents);
    } else {
        append_order(is_customer ? static_cast<std::int64_t>(made_) : key,
                     is_customer ? key : static_cast<std::int64_t>(random_.below(100'000)),
                     cents);
    }
    return {key_, value_};
}

void RecordMaker::append_order(std::int64_t id, std::int64_t customer, std::int64_t cents) {
    const bool is_event = plan_.form == RecordForm::change_event;
    const auto at = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(kDay)));
    auto out = std::back_inserter(value_);
    if (is_event) {
        value_ += R"({"before":null,"after":)";
    }
    fmt::format_to(out,
                   R"({{"id":{},"customer":{},"email":"customer.{}@example.com",)"
                   R"("amount":"{}.{:02}","status":"{}","created_at":)",
                   id,
                   customer,
                   customer,
                   cents / 100,
                   cents % 100,
                   kStates[random_.below(kStates.size())]);
    if (is_event) {
        fmt::format_to(out, "{}", kFirstDay + at);
    } else {
        fmt::format_to(out,
                       R"("2026-03-01T{:02}:{:02}:{:02}.{:03}Z")",
                       at / 3'600'000,
                       at / 60'000 % 60,
                       at / 1'000 % 60,
                       at % 1'000);
    }
    fmt::format_to(out,
                   R"(,"note":"ring \"twice\", then leave it at the caf)"
                   "\xc3\xa9"
                   R"(, house {}","paid":{}}})",
                   1 + random_.below(200),
                   random_.below(2) == 0);
    if (is_event) {
        fmt::format_to(out,
                       R"(,"source":{{"version":"3.0.0.Final","connector":"mysql","name":"shop",)"
                       R"("ts_ms":{0},"snapshot":"false","db":"shop","table":"orders",)"
                       R"("server_id":1,"file":"binlog.000003","pos":{1},"row":0}},"op":"c",)"
                       R"("ts_ms":{0},"transaction":null}})",
                       kFirstDay + at,
                       made_ * 240);
    }
}

void RecordMaker::append_wide(std::int64_t id, std::int64_t cents) {
    auto out = std::back_inserter(value_);
    fmt::format_to(out, R"({{"id":{},"amount":"{}.{:02}")", id, cents / 100, cents % 100);
    for (int column = 2; column < 100; ++column) {
        if (column % 2 == 0) {
            fmt::format_to(out, R"(,"n{}":{})", column, random_.below(1'000'000));
        } else {
            fmt::format_to(out, R"(,"t{}":"value {}")", column, random_.below(1'000'000));
        }
    }
    value_ += '}';
}

Content RecordMaker::last_states() const {
    Content content;
    for (const auto& cents : cents_by_key_) {
        content.rows += cents ? 1 : 0;
        content.cents += cents.value_or(0);
    }
    return content;
}

Content RecordMaker::sums() const {
    auto content = last_states();
    content.cents = all_cents_;
    return content;
}

}  // namespace txsink::bench
