-- A target table without any unique key: for mode = insert. One row a record, so a record that
-- were applied twice would show.
CREATE TABLE ledger (
    account   VARCHAR(64)    NOT NULL,
    amount    DECIMAL(12, 2) NOT NULL,
    booked_at DATETIME(6)    NOT NULL,
    KEY ledger_account (account, booked_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;
