-- Records that were refused, each written in the transaction that moves past it.
CREATE TABLE IF NOT EXISTS txsink_dead_letters (
    connector           VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    topic               VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    partition_id        INT          NOT NULL,
    record_offset       BIGINT       NOT NULL,
    -- The record as Kafka had it; NULL is Kafka's null.
    record_key          LONGBLOB     NULL,
    record_value        LONGBLOB     NULL,
    -- [{"name": text, "value": base64 or null}, ...] in the record's order.
    record_headers      JSON         NULL,
    -- Milliseconds since 1970 UTC; NULL: it had none.
    record_timestamp_ms BIGINT       NULL DEFAULT NULL,
    -- Why: a stable name of txsink ("out-of-range"), and the server's error number where it was
    -- the server that refused.
    error_code          VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    error_number        INT          NULL DEFAULT NULL,
    error_text          TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    -- database.table that it was meant for.
    target_table        VARCHAR(129) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    created_at          TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (connector, topic, partition_id, record_offset)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;
