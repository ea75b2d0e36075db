-- A target table with a primary key: for mode = upsert. Sending a record again changes nothing.
CREATE TABLE orders (
    id         BIGINT UNSIGNED NOT NULL,
    customer   VARCHAR(100)    NOT NULL,
    status     ENUM('new', 'paid', 'shipped', 'cancelled') NOT NULL,
    total      DECIMAL(12, 2)  NOT NULL,
    note       TEXT            NULL,
    ordered_at DATETIME(6)     NOT NULL,
    PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;
