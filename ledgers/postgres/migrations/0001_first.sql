-- The first version of the ledger's tables. SCHEMA.md explains them. Run inside a transaction whose search_path is the
-- ledger's schema.

-- One row: what is known of the ledger as a whole.
CREATE TABLE header (
    one integer PRIMARY KEY CHECK (one = 1),
    -- Format of these tables. A newer one than the program knows is refused.
    format integer NOT NULL,
    -- Check value of the namespace secret; empty: not yet used.
    secret_check text NOT NULL DEFAULT '',
    -- When the ledger was last noted as restored, by three clocks (see events); NULL: never.
    restored_wall bigint,
    restored_awake bigint,
    restored_boot bigint,
    -- Which cluster, on which timeline, the ledger was made or last noted as restored on. Another one is a backup
    -- that was put back, or a replica that took over.
    system bigint,
    timeline bigint
);

-- A cell on a connection, with the account behind it. There are few; operations refer to them.
CREATE TABLE places (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    connection text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    cell text COLLATE "C" NOT NULL,
    UNIQUE (connection, account, cell)
);

-- One row for each operation: what it is found by. The truth is in its events. Its id is a UUIDv7, so the primary key
-- lies in time order, and a range of ids is a range of time.
CREATE TABLE operations (
    id uuid PRIMARY KEY,
    -- Digest of (account, claim), if it claims an id of the provider's; table claims has the same.
    claim uuid,
    -- Wall clock of the first event, milliseconds since 1970.
    began_ms bigint NOT NULL,
    -- When work is due, milliseconds since 1970; NULL: never by itself.
    due_ms bigint,
    -- A part of the digest of (account, cell, fingerprint): enough to find equal intents, never enough to decide.
    alike bigint NOT NULL,
    place integer NOT NULL REFERENCES places (number),
    -- Count of events.
    revision integer NOT NULL CHECK (revision > 0),
    -- 0 held, 1 open, 2 person, 3 succeeded, 4 refused.
    phase smallint NOT NULL CHECK (phase BETWEEN 0 AND 4),
    -- Arguments and receipts were removed by retention.
    pruned boolean NOT NULL DEFAULT false,
    -- Version (1 byte) and SHA-256 (32 bytes) of the arguments.
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 33),
    -- The caller's operation key.
    key text COLLATE "C" NOT NULL,
    -- What the first event said of connection, account, cell, key and fingerprint, as JSON, if one of them was changed
    -- later (by superseding); NULL: what this row says.
    first text
);

-- Due work, oldest first.
CREATE INDEX operations_due ON operations (due_ms, id) WHERE due_ms IS NOT NULL;
-- Operations that have not ended, for lists and the inbox.
CREATE INDEX operations_waiting ON operations (phase, id) WHERE phase < 3;
-- Operations with equal intents.
CREATE INDEX operations_alike ON operations (alike);

-- From a 128-bit digest of (connection, cell, key) to the operation. A table of its own, so that the key stays unique
-- over all time even if operations and events are one day partitioned by time.
CREATE TABLE keys (
    hash uuid PRIMARY KEY,
    operation uuid NOT NULL
);

-- From a 128-bit digest of (account, claim) to the operation that claims it.
CREATE TABLE claims (
    hash uuid PRIMARY KEY,
    operation uuid NOT NULL
);

-- JSON arrays of events that many operations share word for word ("leased", "departed").
CREATE TABLE texts (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    text text COLLATE "C" NOT NULL UNIQUE
);

-- The journal. Append-only: one row for the events that one append wrote at one moment. Two writers at one revision
-- meet in the primary key, whatever else fails.
CREATE TABLE events (
    operation uuid NOT NULL,
    -- In the order in which writers took their turns, over all operations.
    sequence bigint NOT NULL,
    -- When: wall clock in milliseconds since 1970, milliseconds since boot, and which boot (64 bits, shown as a signed
    -- number).
    wall bigint NOT NULL,
    awake bigint NOT NULL,
    boot bigint NOT NULL,
    -- Revision that the first event of this row made: 1, 2, ... without gaps.
    revision integer NOT NULL CHECK (revision > 0),
    -- More events of the same moment, after those in said.
    common integer REFERENCES texts (number),
    -- JSON array of events. "began" leaves out what table operations says.
    said text NOT NULL,
    PRIMARY KEY (operation, revision)
);
CREATE INDEX events_newest ON events (sequence);
CREATE SEQUENCE events_sequence;

-- What was written stays. Only retention rewrites, and says so in its transaction.
CREATE FUNCTION events_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('hapax_ledger.pruning', true) = 'on' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'events are append-only';
END $$;
CREATE FUNCTION operations_remain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% are never deleted: a pruned key stays closed', TG_TABLE_NAME;
END $$;
CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION events_stay();
CREATE TRIGGER operations_remain BEFORE DELETE ON operations FOR EACH ROW EXECUTE FUNCTION operations_remain();
CREATE TRIGGER keys_remain BEFORE UPDATE OR DELETE ON keys FOR EACH ROW EXECUTE FUNCTION operations_remain();
CREATE TRIGGER texts_remain BEFORE UPDATE OR DELETE ON texts FOR EACH ROW EXECUTE FUNCTION operations_remain();

-- For people: operations in words.
CREATE VIEW operations_readable AS
SELECT o.id, p.connection, p.account, p.cell, o.key, encode(o.fingerprint, 'hex') AS fingerprint,
       to_timestamp(o.began_ms / 1000.0) AS began,
       (ARRAY['held', 'open', 'person', 'succeeded', 'refused'])[o.phase + 1] AS phase,
       to_timestamp(o.due_ms / 1000.0) AS due, o.revision, o.pruned
FROM operations o JOIN places p ON p.number = o.place;

-- For people: one row for each event.
CREATE VIEW journal AS
SELECT e.operation, e.revision + said.position - 1 AS revision, to_timestamp(e.wall / 1000.0) AS at,
       said.event ->> 'event' AS event, said.event AS said
FROM events e, json_array_elements(e.said::json) WITH ORDINALITY AS said (event, position)
UNION ALL
SELECT e.operation, e.revision + json_array_length(e.said::json) + said.position - 1, to_timestamp(e.wall / 1000.0),
       said.event ->> 'event', said.event
FROM events e JOIN texts t ON t.number = e.common,
     json_array_elements(t.text::json) WITH ORDINALITY AS said (event, position);

INSERT INTO header (one, format) VALUES (1, 1);
