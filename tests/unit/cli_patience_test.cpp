/// @file
/// Asking a server until it answers: which errors are worth it, and for how long.
#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>

#include "cli/patience.hpp"

namespace txsink::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr RetryPolicy kQuick{milliseconds{1}, milliseconds{2}, milliseconds{0}};

/// Throws `kind` on the first `times` calls, then answers 7.
struct Server {
    ErrorKind kind;
    int times;
    int calls = 0;

    int ask() {
        if (++calls <= times) {
            throw SinkError{kind, "no answer"};
        }
        return 7;
    }
};

TEST(AskPatiently, GoesOnWhileTheServerIsAway) {
    for (const auto kind : {ErrorKind::connection, ErrorKind::fail_over, ErrorKind::unavailable}) {
        Server server{kind, 3};
        EXPECT_EQ(ask_patiently([&] { return server.ask(); }, kQuick, seconds{30}, {}), 7);
        EXPECT_EQ(server.calls, 4);
    }
}

TEST(AskPatiently, DoesNotRepeatWhatTimeDoesNotHeal) {
    for (const auto kind :
         {ErrorKind::access_denied, ErrorKind::configuration, ErrorKind::internal}) {
        Server server{kind, 1};
        try {
            ask_patiently([&] { return server.ask(); }, kQuick, seconds{30}, {});
            ADD_FAILURE();
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, kind);
        }
        EXPECT_EQ(server.calls, 1);
    }
}

TEST(AskPatiently, GivesUpAsUnavailable) {
    Server server{ErrorKind::connection, 1'000'000};
    try {
        ask_patiently([&] { return server.ask(); }, kQuick, milliseconds{20}, {});
        ADD_FAILURE();
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::unavailable);
        EXPECT_EQ(exit_code(error.kind), 69);
    }
    EXPECT_GT(server.calls, 1);
}

TEST(AskPatiently, AsksOnceWithoutPatience) {
    Server server{ErrorKind::connection, 1};
    EXPECT_THROW(ask_patiently([&] { return server.ask(); }, kQuick, milliseconds{0}, {}),
                 SinkError);
    EXPECT_EQ(server.calls, 1);
}

TEST(AskPatiently, EndsWhenToldToStop) {
    Server server{ErrorKind::connection, 1'000'000};
    std::stop_source stop;
    stop.request_stop();
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THROW(
        ask_patiently([&] { return server.ask(); }, RetryPolicy{}, seconds{600}, stop.get_token()),
        SinkError);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds{5});
    EXPECT_EQ(server.calls, 1);
}

}  // namespace
}  // namespace txsink::cli
