#include "latency.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "load.hpp"

namespace txsink::bench {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBurst{1};
constexpr milliseconds kBetweenLooks{2};
constexpr std::chrono::minutes kPatience{1};
/// Of the producer: it counts as the sink's.
constexpr int kLingerMs = 1;

/// Asks where the partitions are, and keeps what has changed.
class Observer {
public:
    Observer(int partitions, const AskPositions& ask, const std::function<bool()>& is_running)
        : reached_(static_cast<std::size_t>(partitions), 0), ask_{ask}, is_running_{is_running} {}

    /// Looks until `is_done`.
    template <typename Condition>
    void watch(Condition&& is_done) {
        auto next_look = Clock::now();
        auto last_change = next_look;
        while (!is_done()) {
            Pace::await(next_look += kBetweenLooks);
            if (look()) {
                last_change = Clock::now();
            }
            if (!is_running_() || Clock::now() - last_change > kPatience) {
                throw std::runtime_error{"no record becomes visible"};
            }
        }
    }

    [[nodiscard]] bool has_reached(const std::vector<std::int64_t>& ends) const {
        for (std::size_t i = 0; i < ends.size(); ++i) {
            if (reached_[i] < ends[i]) {
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] std::vector<Seen> take() { return std::move(seen_); }

private:
    bool look() {
        bool has_changed = false;
        const auto positions = ask_();
        const auto now = Clock::now();
        for (std::size_t i = 0; i < positions.size(); ++i) {
            if (positions[i] > reached_[i]) {
                reached_[i] = positions[i];
                seen_.push_back({static_cast<std::int32_t>(i), positions[i], now});
                has_changed = true;
            }
        }
        return has_changed;
    }

    std::vector<std::int64_t> reached_;
    std::vector<Seen> seen_;
    const AskPositions& ask_;
    const std::function<bool()>& is_running_;
};

/// Produces to the partitions in turn and notes when.
class Producing {
public:
    Producing(Loader& loader, RecordMaker& maker, int partitions)
        : loader_{loader}, maker_{maker}, produced_(static_cast<std::size_t>(partitions)) {}

    void produce_next() {
        const auto record = maker_.next();
        auto& times = produced_[turn_];
        times.push_back(Clock::now());
        loader_.produce(record, static_cast<std::int32_t>(turn_));
        turn_ = (turn_ + 1) % produced_.size();
    }
    void keep_pace(int rate, std::chrono::seconds duration) {
        const auto started = Clock::now();
        const auto all = static_cast<std::int64_t>(rate) * duration.count();
        std::int64_t done = 0;
        for (auto burst = started; done < all; burst += kBurst) {
            Pace::await(burst);
            const auto due = (burst - started + kBurst) * rate / std::chrono::seconds{1};
            for (; done < std::min<std::int64_t>(due, all); ++done) {
                produce_next();
            }
        }
        seconds_ = std::chrono::duration<double>(Clock::now() - started).count();
        loader_.flush();
    }
    [[nodiscard]] std::vector<std::int64_t> ends() const {
        std::vector<std::int64_t> ends;
        for (const auto& times : produced_) {
            ends.push_back(static_cast<std::int64_t>(times.size()));
        }
        return ends;
    }
    [[nodiscard]] double seconds() const noexcept { return seconds_; }
    [[nodiscard]] ProducedAt take() { return std::move(produced_); }

private:
    Loader& loader_;
    RecordMaker& maker_;
    ProducedAt produced_;
    std::size_t turn_ = 0;
    double seconds_ = 0;
};

}  // namespace

void Pace::await(Clock::time_point until) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock{mutex};
    never.wait_until(lock, until, [] { return false; });
}

SteadyRun run_steadily(const std::string& bootstrap,
                       const std::string& topic,
                       int partitions,
                       int rate,
                       std::chrono::seconds duration,
                       RecordMaker& maker,
                       const AskPositions& ask,
                       const std::function<bool()>& is_running) {
    Loader loader{bootstrap, topic, kLingerMs};
    Producing producing{loader, maker, partitions};
    Observer observer{partitions, ask, is_running};
    for (int i = 0; i < partitions; ++i) {
        producing.produce_next();
    }
    loader.flush();
    observer.watch([&] { return observer.has_reached(producing.ends()); });

    std::atomic<bool> is_done{false};
    std::exception_ptr failure;
    std::jthread producer{[&] {
        try {
            producing.keep_pace(rate, duration);
        } catch (...) {
            failure = std::current_exception();
        }
        is_done = true;
    }};
    observer.watch([&] { return is_done.load(); });
    producer.join();
    if (failure != nullptr) {
        std::rethrow_exception(failure);
    }
    observer.watch([&] { return observer.has_reached(producing.ends()); });
    SteadyRun run;
    run.seen = observer.take();
    run.records_per_second =
        static_cast<double>(rate) * static_cast<double>(duration.count()) / producing.seconds();
    run.produced = producing.take();
    return run;
}

}  // namespace txsink::bench
