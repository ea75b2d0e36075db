#include "kafka/fetch_nudge.hpp"

#include <utility>

namespace txsink::kafka {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTimeout{100};
/// After a question that was not answered.
constexpr std::chrono::seconds kPause{5};

}  // namespace

FetchNudge::FetchNudge(const Client& client)
    : client_{client}, queue_{rd_kafka_queue_get_consumer(client.get())} {}

void FetchNudge::look(const rd_kafka_message_t& message) {
    const std::size_t length = rd_kafka_queue_length(queue_.get());
    const bool is_refilled = length > std::exchange(length_, length);
    const std::size_t left = length * (std::exchange(bytes_, 0) / std::exchange(records_, 0));
    // With little left the broker may have no more to send: its answer would then wait behind that
    // of a fetch which waits for new records.
    if (is_refilled || left < kBytes || steady_clock::now() < not_before_) {
        return;
    }
    const auto list = make_partitions(1);
    rd_kafka_topic_partition_list_add(
        list.get(), rd_kafka_topic_name(message.rkt), message.partition)
        ->offset = RD_KAFKA_OFFSET_END;
    if (rd_kafka_offsets_for_times(client_.get(), list.get(), to_ms(kTimeout)) !=
        RD_KAFKA_RESP_ERR_NO_ERROR) {
        not_before_ = steady_clock::now() + kPause;
    }
}

}  // namespace txsink::kafka
