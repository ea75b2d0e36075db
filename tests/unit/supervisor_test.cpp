/// @file
/// Pipelines started and stopped together.
#include "txsink/pipeline/supervisor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "txsink/core/sink_error.hpp"

namespace txsink::pipeline {
namespace {

/// Blocks until `stop` is requested.
void wait_for(std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock{mutex};
    changed.wait(lock, stop, [] { return false; });
}

TEST(Supervisor, StopsTheOthersWhenOneFailsAndThrowsItsError) {
    SupervisorSettings settings;
    settings.pipelines = 3;
    std::atomic<int> stopped{0};
    std::stop_source stop;
    try {
        supervise(
            settings,
            [&](int index, std::stop_token token, const ProgressListener&) {
                if (index == 1) {
                    throw SinkError{ErrorKind::fenced, "taken"};
                }
                wait_for(token);
                ++stopped;
            },
            stop);
        FAIL() << "no error";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::fenced);
    }
    EXPECT_EQ(stopped, 2);
}

TEST(Supervisor, StopsWhenEveryPartitionHasReachedItsEnd) {
    SupervisorSettings settings;
    settings.pipelines = 2;
    settings.until = {{{"t", 0}, Offset{5}}, {{"t", 1}, Offset{0}}, {{"t", 2}, Offset{7}}};
    // Partition 2 belongs to another process: only the table knows how far it is.
    settings.stored_positions = [] {
        return std::map<TopicPartition, Offset>{{{"t", 2}, Offset{9}}};
    };
    std::stop_source stop;
    supervise(
        settings,
        [&](int index, std::stop_token token, const ProgressListener& on_progress) {
            on_progress({"t", index}, Offset{index == 0 ? 4 : 0});
            on_progress({"t", index}, Offset{5});
            wait_for(token);
        },
        stop);
    EXPECT_TRUE(stop.stop_requested());
}

/// A stored offset beyond the end may be that of a topic that was made again since.
TEST(Supervisor, BelievesAPositionBeyondTheEndOnlyOnceItIsReadFrom) {
    SupervisorSettings settings;
    settings.until = {{{"t", 0}, Offset{1}}, {{"t", 1}, Offset{1}}};
    std::atomic<bool> may_go_on{false};
    std::atomic<bool> has_waited{false};
    settings.stored_positions = [&] {
        has_waited = may_go_on.load();
        return std::map<TopicPartition, Offset>{};
    };
    std::stop_source stop;
    supervise(
        settings,
        [&](int, std::stop_token token, const ProgressListener& on_progress) {
            on_progress({"t", 0}, Offset{3});
            on_progress({"t", 1}, Offset{3});
            may_go_on = true;
            while (!has_waited && !token.stop_requested()) {
                std::this_thread::yield();
            }
            EXPECT_FALSE(token.stop_requested());
            on_progress({"t", 0}, Offset{0});  // it was made again
            on_progress({"t", 1}, Offset{3});  // more was written meanwhile
            on_progress({"t", 0}, Offset{1});
            wait_for(token);
        },
        stop);
    EXPECT_TRUE(stop.stop_requested());
}

/// A database that went back in time takes a partition back behind its end.
TEST(Supervisor, WaitsAgainForAPartitionThatWasRewound) {
    SupervisorSettings settings;
    settings.until = {{{"t", 0}, Offset{5}}, {{"t", 1}, Offset{3}}};
    std::atomic<bool> is_rewound{false};
    std::atomic<bool> still_waits{false};
    settings.stored_positions = [&] {
        still_waits = is_rewound.load();
        return std::map<TopicPartition, Offset>{};
    };
    std::stop_source stop;
    supervise(
        settings,
        [&](int, std::stop_token token, const ProgressListener& on_progress) {
            on_progress({"t", 0}, Offset{5});
            on_progress({"t", 0}, Offset{2});
            on_progress({"t", 1}, Offset{3});
            is_rewound = true;
            while (!still_waits && !token.stop_requested()) {
                std::this_thread::yield();
            }
            EXPECT_FALSE(token.stop_requested());
            on_progress({"t", 0}, Offset{5});
            wait_for(token);
        },
        stop);
    EXPECT_TRUE(stop.stop_requested());
}

TEST(Supervisor, ForcesTheEndAfterTheShutdownTimeout) {
    SupervisorSettings settings;
    settings.shutdown_timeout = std::chrono::milliseconds{20};
    std::stop_source hung;
    bool is_forced = false;
    settings.on_shutdown_timeout = [&] {
        is_forced = true;
        hung.request_stop();  // a real process would be gone here
    };
    std::stop_source stop;
    stop.request_stop();
    supervise(
        settings,
        [&](int, std::stop_token, const ProgressListener&) { wait_for(hung.get_token()); },
        stop);
    EXPECT_TRUE(is_forced);
}

}  // namespace
}  // namespace txsink::pipeline
