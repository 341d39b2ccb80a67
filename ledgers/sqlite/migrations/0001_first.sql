-- The first version of the ledger's file. SCHEMA.md explains it; the comments here travel with the
-- file (`sqlite3 FILE .schema`).

-- One row: what is known of the ledger as a whole.
CREATE TABLE header (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    -- Check value of the namespace secret; empty: not yet used.
    secret_check TEXT NOT NULL DEFAULT '',
    -- When the ledger was last noted as restored, by three clocks (see events); NULL: never.
    restored_wall INTEGER,
    restored_awake INTEGER,
    restored_boot INTEGER,
    -- 1 inside the transaction of a prune, 0 whenever anybody else can see it.
    pruning INTEGER NOT NULL DEFAULT 0 CHECK (pruning IN (0, 1))
) STRICT;
INSERT INTO header (one) VALUES (1);

-- Accounts at providers. Claims are unique inside one.
CREATE TABLE accounts (
    number INTEGER PRIMARY KEY,
    account TEXT NOT NULL UNIQUE
) STRICT;

-- A cell on a connection, with the account behind it. There are few; operations refer to them.
CREATE TABLE places (
    number INTEGER PRIMARY KEY,
    connection TEXT NOT NULL,
    account INTEGER NOT NULL REFERENCES accounts (number),
    cell TEXT NOT NULL,
    UNIQUE (connection, account, cell)
) STRICT;

-- One row for each operation: what it is found by. The truth is in its events.
CREATE TABLE operations (
    number INTEGER PRIMARY KEY,
    -- A UUIDv7 in 16 bytes: lower(hex(id)).
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    place INTEGER NOT NULL REFERENCES places (number),
    -- The caller's operation key.
    key TEXT NOT NULL,
    -- Version (1 byte) and SHA-256 (32 bytes) of the arguments.
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 33),
    -- Wall clock of the first event, milliseconds since 1970.
    began_ms INTEGER NOT NULL,
    -- 0 held, 1 open, 2 person, 3 succeeded, 4 refused.
    phase INTEGER NOT NULL CHECK (phase BETWEEN 0 AND 4),
    -- When work is due, milliseconds since 1970; NULL: never by itself. Leaving it makes the row
    -- shorter, so that an operation that ends never splits a full page.
    due_ms INTEGER,
    -- Count of events.
    revision INTEGER NOT NULL,
    -- 1: table claims has a row for it.
    holds_claim INTEGER NOT NULL DEFAULT 0 CHECK (holds_claim IN (0, 1)),
    -- 1: arguments and receipts were removed by retention.
    pruned INTEGER NOT NULL DEFAULT 0 CHECK (pruned IN (0, 1)),
    -- What the first event said of connection, account, cell, key and fingerprint, as JSON, if one
    -- of them was changed later (by superseding); NULL: what this row says.
    first TEXT
) STRICT;

-- Due work, oldest first.
CREATE INDEX operations_due ON operations (due_ms, id) WHERE due_ms IS NOT NULL;
-- Operations that have not ended, for lists and the inbox.
CREATE INDEX operations_waiting ON operations (phase, id) WHERE phase < 3;
-- Operations with equal arguments. A part of the digest is enough to find them, and keeps the index small.
CREATE INDEX operations_alike ON operations (substr(fingerprint, 2, 8), began_ms);

-- From a short hash of (connection, cell, key) to the operation. Callers' keys are often random and
-- long; indexing the whole of them would make every commit write large pages all over the file.
-- Uniqueness of the key itself is checked inside the transaction that writes.
CREATE TABLE keys (
    hash INTEGER NOT NULL,
    operation INTEGER NOT NULL REFERENCES operations (number),
    PRIMARY KEY (hash, operation)
) STRICT, WITHOUT ROWID;

-- Provider's ids that operations claim: one operation for each, per account.
CREATE TABLE claims (
    account INTEGER NOT NULL REFERENCES accounts (number),
    claim TEXT NOT NULL,
    operation INTEGER NOT NULL REFERENCES operations (number),
    PRIMARY KEY (account, claim)
) STRICT, WITHOUT ROWID;

-- JSON arrays of events that many operations share word for word ("leased", "departed").
CREATE TABLE texts (
    number INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

-- The journal. Append-only: one row for the events that one append wrote at one moment.
CREATE TABLE events (
    -- In the order in which they were written, over all operations: new rows go to the end of the file.
    sequence INTEGER PRIMARY KEY,
    operation INTEGER NOT NULL REFERENCES operations (number),
    -- Revision that the first event of this row made: 1, 2, ... without gaps.
    revision INTEGER NOT NULL CHECK (revision > 0),
    -- When: wall clock in milliseconds since 1970, milliseconds since boot, and which boot (64 bits,
    -- shown as a signed number).
    wall INTEGER NOT NULL,
    awake INTEGER NOT NULL,
    boot INTEGER NOT NULL,
    -- JSON array of events. "began" leaves out what table operations says.
    said TEXT NOT NULL,
    -- More events of the same moment, after those in said.
    common INTEGER REFERENCES texts (number)
) STRICT;
CREATE UNIQUE INDEX events_of ON events (operation, revision);

-- What was written stays. Only retention rewrites, and says so in the header while it does.
CREATE TRIGGER events_stay BEFORE UPDATE ON events WHEN (SELECT pruning FROM header) = 0
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON events WHEN (SELECT pruning FROM header) = 0
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER operations_remain BEFORE DELETE ON operations
BEGIN SELECT RAISE(ABORT, 'operations are never deleted: a pruned key stays closed'); END;
CREATE TRIGGER keys_remain BEFORE DELETE ON keys
BEGIN SELECT RAISE(ABORT, 'keys are never deleted: a pruned key stays closed'); END;
CREATE TRIGGER texts_stay BEFORE UPDATE ON texts
BEGIN SELECT RAISE(ABORT, 'texts are append-only'); END;
CREATE TRIGGER texts_remain BEFORE DELETE ON texts
BEGIN SELECT RAISE(ABORT, 'texts are append-only'); END;

-- For people: operations in words.
CREATE VIEW operations_readable AS
SELECT o.number,
       lower(substr(hex(o.id), 1, 8) || '-' || substr(hex(o.id), 9, 4) || '-' || substr(hex(o.id), 13, 4) || '-'
             || substr(hex(o.id), 17, 4) || '-' || substr(hex(o.id), 21)) AS id,
       p.connection, a.account, p.cell, o.key,
       lower(hex(o.fingerprint)) AS fingerprint,
       datetime(o.began_ms / 1000, 'unixepoch') AS began,
       CASE o.phase WHEN 0 THEN 'held' WHEN 1 THEN 'open' WHEN 2 THEN 'person' WHEN 3 THEN 'succeeded'
                    ELSE 'refused' END AS phase,
       datetime(o.due_ms / 1000, 'unixepoch') AS due,
       c.claim, o.revision, o.pruned
FROM operations o JOIN places p ON p.number = o.place JOIN accounts a ON a.number = p.account
     LEFT JOIN claims c ON c.operation = o.number;

-- For people: one row for each event.
CREATE VIEW journal AS
SELECT e.operation, e.revision + j.key AS revision, datetime(e.wall / 1000, 'unixepoch') AS at,
       j.value ->> 'event' AS event, j.value AS said
FROM events e, json_each(e.said) j
UNION ALL
SELECT e.operation, e.revision + json_array_length(e.said) + j.key, datetime(e.wall / 1000, 'unixepoch'),
       j.value ->> 'event', j.value
FROM events e JOIN texts t ON t.number = e.common, json_each(t.text) j;
