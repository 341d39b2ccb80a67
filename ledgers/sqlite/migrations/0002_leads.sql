-- Version 2: what operations are found by at random places (keys, equal arguments, claims) is written in bulk.
--
-- Before, each operation wrote three entries somewhere in indexes that grow for ever, so three pages more in a commit
-- the larger the ledger was. Now an entry is a row of `leads`, and comes there late: hapax keeps the entries of the
-- newest operations in memory (they follow from the rows of operations and claims), and carries them over in the
-- order of the index, many for each page. SCHEMA.md explains it.

-- From a short hash to what it may lead to. Entries say where to look; what stands there decides. One that leads to
-- what has another key, other arguments or another claim by now does no harm.
CREATE TABLE leads (
    -- First 8 bytes (little-endian, signed) of a SHA-256: of a key, a claim, or of the arguments.
    hash INTEGER NOT NULL,
    -- Arguments: when the operation began, as operations.began_ms. Keys and claims: 0.
    began INTEGER NOT NULL,
    -- Keys and arguments: the number of the operation. Claims: the sequence of the claim, negative.
    target INTEGER NOT NULL,
    PRIMARY KEY (hash, began, target)
) STRICT, WITHOUT ROWID;
INSERT INTO leads SELECT hash, 0, operation FROM keys ORDER BY hash, operation;
INSERT INTO leads SELECT hash_of_print(fingerprint), began_ms, number FROM operations ORDER BY 1, 2, 3;
DROP INDEX operations_alike;
DROP TABLE keys;

-- Provider's ids that operations claim: one operation for each, per account. A claim counts while operations.claim
-- is its sequence.
ALTER TABLE claims RENAME TO claims_by_text;
CREATE TABLE claims (
    -- In the order in which they were made: new rows go to the end.
    sequence INTEGER PRIMARY KEY,
    operation INTEGER NOT NULL REFERENCES operations (number),
    account INTEGER NOT NULL REFERENCES accounts (number),
    claim TEXT NOT NULL
) STRICT;
INSERT INTO claims (operation, account, claim) SELECT operation, account, claim FROM claims_by_text ORDER BY operation;
DROP TABLE claims_by_text;
INSERT INTO leads SELECT hash_of_claim(a.account, c.claim), 0, -c.sequence
FROM claims c JOIN accounts a ON a.number = c.account ORDER BY 1, 2, 3;

-- The claim that the operation holds; NULL: none.
DROP VIEW operations_readable;
ALTER TABLE operations ADD COLUMN claim INTEGER REFERENCES claims (sequence);
UPDATE operations SET claim = c.sequence FROM claims c WHERE c.operation = operations.number AND holds_claim = 1;
ALTER TABLE operations DROP COLUMN holds_claim;
-- First 4 bytes (little-endian, signed) of the SHA-256 that the lead of the key has 8 of. While that is in memory only,
-- which follows from the row, nothing else would say that the key in the row was changed.
ALTER TABLE operations ADD COLUMN key_check INTEGER NOT NULL DEFAULT 0;
UPDATE operations SET key_check = check_of_key(p.connection, p.cell, key) FROM places p WHERE p.number = place;

-- One row: how far leads were carried over.
CREATE TABLE carried (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    -- All that leads to operations up to this number, and to claims up to this sequence, is in table leads.
    operation INTEGER NOT NULL,
    claim INTEGER NOT NULL,
    -- The same for the run that is under way; NULL: none is.
    to_operation INTEGER,
    to_claim INTEGER,
    -- The last entry that the run has carried over, in the order of table leads.
    at_hash INTEGER NOT NULL DEFAULT -9223372036854775808,
    at_began INTEGER NOT NULL DEFAULT -9223372036854775808,
    at_target INTEGER NOT NULL DEFAULT -9223372036854775808
) STRICT;
INSERT INTO carried (one, operation, claim)
SELECT 1, coalesce((SELECT max(number) FROM operations), 0), coalesce((SELECT max(sequence) FROM claims), 0);

CREATE TRIGGER leads_remain BEFORE DELETE ON leads
BEGIN SELECT RAISE(ABORT, 'leads are never deleted: a pruned key stays closed'); END;
CREATE TRIGGER claims_stay BEFORE UPDATE ON claims
BEGIN SELECT RAISE(ABORT, 'claims are append-only'); END;
CREATE TRIGGER claims_remain BEFORE DELETE ON claims
BEGIN SELECT RAISE(ABORT, 'claims are append-only'); END;
CREATE TRIGGER carried_remains BEFORE DELETE ON carried
BEGIN SELECT RAISE(ABORT, 'without it keys would be looked for in half of the places'); END;
CREATE TRIGGER carried_goes_forward BEFORE UPDATE ON carried
WHEN new.operation < old.operation OR new.claim < old.claim
BEGIN SELECT RAISE(ABORT, 'what was carried over stays so'); END;

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
     LEFT JOIN claims c ON c.sequence = o.claim;
