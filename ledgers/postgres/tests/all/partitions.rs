//! The two large tables as partitions by ranges of time, while the ledger is used.

use std::sync::Arc;

use hapax_conformance::ledger::samples::{Draft, happened, leased};
use hapax_core::ledger::{Filter, Ledger, LedgerError, Phase, Retention, Serves};
use hapax_core::protocol::Stamp;
use hapax_ledger_postgres::PostgresLedger;
use uuid::Uuid;

use super::support::{PATIENT, address, assert_sound, cluster, fresh, is_there, revision, shared};

/// What SCHEMA.md says: the tables of today become the first partition, and what comes is in others.
const DIVIDE: &str = "BEGIN; SET LOCAL search_path TO $; \
     ALTER TABLE operations RENAME TO operations_first; ALTER TABLE events RENAME TO events_first; \
     CREATE TABLE operations (LIKE operations_first INCLUDING ALL) PARTITION BY RANGE (id); \
     CREATE TABLE events (LIKE events_first INCLUDING ALL) PARTITION BY RANGE (operation); \
     ALTER TABLE operations ADD FOREIGN KEY (place) REFERENCES places (number); \
     ALTER TABLE events ADD FOREIGN KEY (common) REFERENCES texts (number); \
     DROP TRIGGER operations_remain ON operations_first; DROP TRIGGER events_stay ON events_first; \
     CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION events_stay(); \
     CREATE TRIGGER operations_remain BEFORE DELETE ON operations FOR EACH ROW EXECUTE FUNCTION operations_remain(); \
     ALTER TABLE operations ATTACH PARTITION operations_first FOR VALUES FROM (MINVALUE) TO ('@'); \
     ALTER TABLE events ATTACH PARTITION events_first FOR VALUES FROM (MINVALUE) TO ('@'); \
     CREATE TABLE operations_next PARTITION OF operations FOR VALUES FROM ('@') TO (MAXVALUE); \
     CREATE TABLE events_next PARTITION OF events FOR VALUES FROM ('@') TO (MAXVALUE); \
     COMMIT";

#[tokio::test(flavor = "multi_thread")]
async fn a_ledger_goes_on_when_its_tables_become_partitions() {
    if !is_there("partitions") {
        return;
    }
    let (ledger, schema) = fresh().await;
    let before = Draft::new("before").due_at(1);
    let done = Draft::new("done").claiming("ch_1");
    for draft in [&before, &done] {
        draft.begin(&shared(&ledger)).await.expect("it works");
    }
    // A boundary that lies between what is there and what comes.
    let boundary = Uuid::now_v7().to_string();
    let divide = DIVIDE.replace('$', &schema).replace('@', &boundary);
    cluster().await.sql("postgres", &divide).await.expect("they can be divided");
    let after = Draft::new("after").due_at(2);
    after.begin(&shared(&ledger)).await.expect("it goes on");
    ledger.append(before.append(3, [leased()])).await.expect("it goes on");
    ledger.append(done.clone().in_phase(Phase::Succeeded).append(3, [happened("ch_1")])).await.expect("it goes on");
    // What must be unique is so over all of them.
    let again = Draft::new("before").begin(&shared(&ledger)).await;
    assert!(matches!(again, Err(LedgerError::Moved)), "{again:?}");
    let claim = Draft::new("thief").claiming("ch_1").begin(&shared(&ledger)).await;
    assert!(matches!(claim, Err(LedgerError::Claimed(by)) if by == done.id), "{claim:?}");
    let stale = ledger.append(before.append(3, [leased()])).await;
    assert!(matches!(stale, Err(LedgerError::Moved)), "{stale:?}");
    let serves = [Serves { connection: "stripe-live".to_owned(), cell: "stripe.charge".to_owned() }];
    let due = ledger.due(&serves, Stamp::scripted(9), 9).await.expect("due works");
    assert_eq!(due, [before.id, after.id]);
    let all = Retention::of_all(Stamp::scripted(10_000_000), 0);
    assert_eq!(ledger.prune(&all).await.expect("pruning works").operations, 1);
    let again = Arc::new(PostgresLedger::open(address(cluster().await, &schema), PATIENT).await.expect("it is one"));
    assert_eq!(again.list(&Filter::default()).await.expect("listing works"), [after.id, done.id, before.id]);
    assert_eq!(revision(&again, after.id).await, Some(3));
    assert_eq!(assert_sound(&again).await, 3);
    assert!(again.health().await.expect("it can be asked").append_only);
    let each =
        format!("SELECT (SELECT count(*) FROM {schema}.operations_first), count(*) FROM {schema}.operations_next");
    assert_eq!(cluster().await.sql("postgres", &each).await.expect("SQL works"), "2|1");
    let change = format!("UPDATE {schema}.events_first SET said = '[]'");
    cluster().await.sql("postgres", &change).await.expect_err("append-only in each of them");
}
