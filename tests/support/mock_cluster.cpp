#include "support/mock_cluster.hpp"

#include <stdexcept>

namespace txsink::test {

MockCluster::MockCluster(int brokers) {
    char text[256] = "";
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "log_level", "0", nullptr, 0);
    handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    if (handle_ == nullptr) {
        throw std::runtime_error{text};
    }
    cluster_ = rd_kafka_mock_cluster_new(handle_, brokers);
}

MockCluster::~MockCluster() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(handle_);
}

std::string MockCluster::address() const {
    return rd_kafka_mock_cluster_bootstraps(cluster_);
}

void MockCluster::create_topic(const std::string& topic, int partitions) {
    if (rd_kafka_mock_topic_create(cluster_, topic.c_str(), partitions, 1) !=
        RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw std::runtime_error{"creating mock topic " + topic};
    }
}

void MockCluster::set_down() {
    rd_kafka_mock_broker_set_down(cluster_, -1);
}

void MockCluster::set_up() {
    rd_kafka_mock_broker_set_up(cluster_, -1);
}

void MockCluster::push_errors(std::int16_t api_key, const std::vector<rd_kafka_resp_err_t>& codes) {
    rd_kafka_mock_push_request_errors_array(cluster_, api_key, codes.size(), codes.data());
}

void MockCluster::set_topic_error(const std::string& topic, rd_kafka_resp_err_t code) {
    rd_kafka_mock_topic_set_error(cluster_, topic.c_str(), code);
}

}  // namespace txsink::test
