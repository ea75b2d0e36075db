/// @file
/// FetchNudge: has librdkafka look at a queue that is being emptied before its second is over.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "kafka/client.hpp"

namespace txsink::kafka {

/// Until 2.2, librdkafka's thread of a broker that has found the consumer's queue full looks at it
/// again only when something else wakes it, or after a second. A queue that must last for a second
/// takes a hundred megabytes; a small one runs dry. A question to that broker, whose answer nobody
/// needs, wakes it: about 40 a second while there is a backlog, none without.
/// Threading: that of the consumer.
class FetchNudge {
public:
    explicit FetchNudge(const Client& client);

    /// After each record that was taken from the queue.
    void after(const rd_kafka_message_t& message) {
        ++records_;
        bytes_ += message.len + message.key_len;
        if (records_ >= kRecords || bytes_ >= kBytes) {
            look(message);
        }
    }

private:
    static constexpr std::size_t kRecords = 4'096;
    static constexpr std::size_t kBytes = 512 * 1024;

    void look(const rd_kafka_message_t& message);

    const Client& client_;
    Queue queue_;
    /// Taken since the last look.
    std::size_t records_ = 0;
    std::size_t bytes_ = 0;
    /// Messages in the queue at the last look.
    std::size_t length_ = 0;
    std::chrono::steady_clock::time_point not_before_{};
};

}  // namespace txsink::kafka
