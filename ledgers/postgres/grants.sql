-- What the role that hapax runs as needs; the tables belong to the role that made them (`hapax ledger create`).
GRANT USAGE ON SCHEMA hapax TO hapax_app;
GRANT SELECT, INSERT, UPDATE ON hapax.operations, hapax.events TO hapax_app;
GRANT SELECT, INSERT ON hapax.keys, hapax.places, hapax.texts TO hapax_app;
GRANT SELECT, INSERT, DELETE ON hapax.claims TO hapax_app;
GRANT SELECT, UPDATE ON hapax.header TO hapax_app;
GRANT USAGE ON SEQUENCE hapax.events_sequence TO hapax_app;
GRANT SELECT ON hapax.operations_readable, hapax.journal TO hapax_app;
