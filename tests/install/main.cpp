// Uses something of the first and of the last installed library.
#include <iostream>

#include "txsink/core/topic_partition.hpp"
#include "txsink/kafka/kafka_settings.hpp"
#include "txsink/mysql/mysql_settings.hpp"

int main() {
    const auto mysql = txsink::mysql::parse_mysql_uri("mysql://sink@127.0.0.1:3306/shop");
    txsink::kafka::KafkaSettings kafka;
    kafka.assign.push_back({"orders", 3});
    std::cout << txsink::to_string(kafka.assign.front()) << " -> " << mysql.database << '\n';
}
