#include "kafka/offset_mirror.hpp"

#include <fmt/format.h>

namespace txsink::kafka {

namespace {

/// What a revoke or a close may wait: others wait for us then.
constexpr std::chrono::milliseconds kReplyTimeout{1'000};

void add(rd_kafka_topic_partition_list_t* list, const TopicPartition& partition, Offset offset) {
    rd_kafka_topic_partition_list_add(list, partition.topic.c_str(), partition.partition)->offset =
        to_int(offset);
}

}  // namespace

void OffsetMirror::acknowledge(const TopicPartition& partition, Offset next) {
    offsets_[partition].acknowledged = next;
    has_news_ = true;
    send_if_due();
}

void OffsetMirror::send_if_due() {
    if (!has_news_) {
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - last_send_ < interval_) {
        return;
    }
    last_send_ = now;
    has_news_ = false;
    const auto list = make_partitions(offsets_.size());
    for (auto& [partition, offset] : offsets_) {
        if (offset.sent != offset.acknowledged) {
            offset.sent = offset.acknowledged;
            add(list.get(), partition, offset.sent);
        }
    }
    if (list->cnt > 0) {
        take_reply(rd_kafka_commit(client_.get(), list.get(), 1));
    }
}

void OffsetMirror::send_now(std::span<const TopicPartition> partitions) {
    const auto list = make_partitions(partitions.size());
    for (const auto& partition : partitions) {
        const auto at = offsets_.find(partition);
        if (at != offsets_.end() && at->second.sent != at->second.acknowledged) {
            at->second.sent = at->second.acknowledged;
            add(list.get(), partition, at->second.sent);
        }
    }
    if (list->cnt == 0) {
        return;
    }
    // Not rd_kafka_commit(): it waits without end when the brokers are away.
    const Queue replies{rd_kafka_queue_new(client_.get())};
    const auto code =
        rd_kafka_commit_queue(client_.get(), list.get(), replies.get(), nullptr, nullptr);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        take_reply(code);
        return;
    }
    const Event reply{rd_kafka_queue_poll(replies.get(), to_ms(kReplyTimeout))};
    take_reply(reply == nullptr ? RD_KAFKA_RESP_ERR__TIMED_OUT : rd_kafka_event_error(reply.get()));
}

void OffsetMirror::take_reply(rd_kafka_resp_err_t code) {
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR__NO_OFFSET) {
        log_.warn(fmt::format("kafka: copying offsets to the group: {}", rd_kafka_err2str(code)));
    }
}

}  // namespace txsink::kafka
