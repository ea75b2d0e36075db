-- Ranges of offsets that were skipped, each written in the transaction that skips it: loss is
-- never silent.
CREATE TABLE IF NOT EXISTS txsink_gaps (
    id           BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    connector    VARCHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    topic        VARCHAR(249)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    partition_id INT             NOT NULL,
    -- The offsets in [from_offset, to_offset) were not read; to < from: the log began anew.
    from_offset  BIGINT          NOT NULL,
    to_offset    BIGINT          NOT NULL,
    reason       VARCHAR(255)    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    created_by   VARCHAR(255)    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    created_at   TIMESTAMP(6)    NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (id),
    KEY txsink_gaps_partition (connector, topic, partition_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;
