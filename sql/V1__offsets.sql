-- How far each partition has been applied: one row a partition and connector, moved in the same
-- transaction as the rows of the target tables. Only txsink writes here; an edit is obeyed.
CREATE TABLE IF NOT EXISTS txsink_offsets (
    connector         VARCHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    topic             VARCHAR(249)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    partition_id      INT             NOT NULL,
    -- The next offset to read: that of the last applied record + 1, or beyond.
    next_offset       BIGINT          NOT NULL,
    -- The start that the row was made with.
    start_offset      BIGINT          NOT NULL,
    -- The random token of the worker that owns the partition; 0: nobody has claimed it yet.
    fence             BIGINT UNSIGNED NOT NULL DEFAULT 0,
    owner             VARCHAR(255)    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
    -- The Kafka cluster that the offsets belong to.
    cluster_id        VARCHAR(255)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
    -- Totals since the row was made.
    records           BIGINT UNSIGNED NOT NULL DEFAULT 0,
    dead_letters      BIGINT UNSIGNED NOT NULL DEFAULT 0,
    -- Timestamp of the newest record in the last batch that had one, in ms since 1970 UTC.
    last_timestamp_ms BIGINT          NULL DEFAULT NULL,
    created_at        TIMESTAMP(6)    NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    updated_at        TIMESTAMP(6)    NOT NULL DEFAULT CURRENT_TIMESTAMP(6)
                                      ON UPDATE CURRENT_TIMESTAMP(6),
    PRIMARY KEY (connector, topic, partition_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;
