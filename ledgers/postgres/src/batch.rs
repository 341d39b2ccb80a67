//! One transaction for many appends: lock and look in one round trip, write and commit in another.

use std::collections::HashMap;
use std::future::Future;

use hapax_core::identity::Fingerprint;
use hapax_core::ledger::{Appended, LedgerError, OperationId};
use tokio::time::timeout;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::codec::{self, Identity, Line};
use crate::error::Failure;
use crate::link::Link;
use crate::names::Names;
use crate::plan::{Asked, Held, Known, plan};
use crate::rows::{self, Columns, Written};
use crate::shared::{HEAD, HEAD_WITHOUT_ORIGIN, Head, Shared};

pub(crate) type Answers = Vec<Result<Appended, LedgerError>>;

/// What became of a transaction.
pub(crate) enum Ended {
    /// It is durable, or there was nothing to write.
    Done(Answers),
    /// Nothing was written.
    Nothing(Failure),
    /// The answer to the commit was lost. What would prove that it counts, and what to answer then.
    Doubt(Failure, Proof, Answers),
}

/// A row that is there if and only if the transaction was committed.
pub(crate) struct Proof {
    operation: OperationId,
    sequence: i64,
    revision: i32,
}

/// Settings of the transaction alone. A vanished client must not keep its locks; a `synchronous_commit` that is off
/// by configuration would break what `Ok` means.
macro_rules! begin {
    ($and:literal) => {
        concat!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = '10s'; \
             SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '5s'; ",
            $and,
            "SELECT set_config('synchronous_commit', 'on', true) \
             WHERE current_setting('synchronous_commit') IN ('off', 'local')"
        )
    };
}
pub(crate) const BEGIN: &str = begin!("");

/// Batches look rows up by index, whatever their arrays hold, so a prepared statement is not planned again for each. It is
/// planned when it is first used, perhaps while the tables are empty: a plan that reads the whole of them is the cheapest
/// then, and would be kept while they grow. Without such plans the header, which has no other way, looks so costly that it
/// would be compiled each time.
const BEGIN_PREPARED: &str = begin!(
    "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; \
     SET LOCAL enable_mergejoin = off; SET LOCAL jit = off; "
);

/// The letters `hapx`: what our locks are told from others' by.
pub(crate) const LOCK: &str = "SELECT pg_advisory_xact_lock(1751216248, bucket) FROM unnest($1) AS bucket";

const OPERATIONS: &str = "SELECT o.id, o.revision, o.claim, p.connection, p.account, p.cell, o.key, o.fingerprint \
     FROM hapax.operations o JOIN hapax.places p ON p.number = o.place WHERE o.id = ANY ($1)";

const TAKEN: &str = "SELECT false, hash, operation FROM hapax.keys WHERE hash = ANY ($1) \
     UNION ALL SELECT true, hash, operation FROM hapax.claims WHERE hash = ANY ($2)";

const SIMILAR: &str = "SELECT w.n, o.id FROM unnest($1, $2, $3, $4, $5, $6, $7) \
       AS w (n, alike, since, print, account, cell, key) \
     JOIN hapax.operations o ON o.alike = w.alike JOIN hapax.places p ON p.number = o.place \
     WHERE o.began_ms >= w.since AND o.fingerprint = w.print AND p.account = w.account AND p.cell = w.cell \
       AND o.key <> w.key ORDER BY w.n, o.id";
const SIMILAR_TYPES: [Type; 7] = [
    Type::INT4_ARRAY,
    Type::INT8_ARRAY,
    Type::INT8_ARRAY,
    Type::BYTEA_ARRAY,
    Type::TEXT_ARRAY,
    Type::TEXT_ARRAY,
    Type::TEXT_ARRAY,
];

/// It is locked, so that there is something to commit: where a replica is synchronous, that commit waits until the replica
/// has everything before it too.
const PROOF: &str = "SELECT 1 FROM hapax.events WHERE operation = $1 AND revision = $2 AND sequence = $3 FOR SHARE";

/// Prepares what batches use, where that is wanted.
pub(crate) async fn prepare(link: &Link) -> Result<(), Failure> {
    link.prepare(HEAD_WITHOUT_ORIGIN, &[Type::INT4]).await?;
    // Where the engine doesn't know the functions in it, it isn't used either.
    let _ = link.prepare(HEAD, &[Type::INT4]).await;
    link.prepare(LOCK, &[Type::INT4_ARRAY]).await?;
    link.prepare(OPERATIONS, &[Type::UUID_ARRAY]).await?;
    link.prepare(TAKEN, &rows::PAIR_TYPES).await?;
    link.prepare(SIMILAR, &SIMILAR_TYPES).await?;
    link.prepare(rows::MAKE, &rows::MAKE_TYPES).await?;
    link.prepare(rows::CHANGE, &rows::CHANGE_TYPES).await?;
    link.prepare(rows::KEYS, &rows::PAIR_TYPES).await?;
    link.prepare(rows::FREE, &[Type::UUID_ARRAY]).await?;
    link.prepare(rows::TAKE, &rows::PAIR_TYPES).await?;
    link.prepare(rows::EVENTS, &rows::EVENTS_TYPES).await
}

/// Writes a batch, or says why not. The connection is only good for more if this ends with `Done`, or with
/// `Nothing` and a failure that isn't of the way.
pub(crate) async fn write(shared: &Shared, link: &Link, names: &mut Names, asked: &[Asked]) -> Ended {
    let looked = within(shared, async {
        let (lines, places) = lay_out(link, names, asked).await?;
        let (head, known) = look(shared, link, asked, lines.iter().map(Vec::len).sum()).await?;
        Ok((lines, places, head, known))
    });
    let (lines, places, head, known) = match looked.await {
        Ok(looked) => looked,
        Err(failure) => return given_up(link, failure).await,
    };
    let plan = plan(asked, known);
    let answers = plan.answers.clone();
    if !plan.writes() {
        return match link.run("ROLLBACK").await {
            Ok(()) => Ended::Done(answers),
            Err(failure) => Ended::Nothing(failure),
        };
    }
    let columns = match Columns::of(asked, &plan, lines, &places, &head) {
        Ok(columns) => columns,
        Err(failure) => return given_up(link, failure).await,
    };
    commit(shared, link, &columns, &head, answers).await
}

async fn commit(shared: &Shared, link: &Link, columns: &Columns, head: &Head, answers: Answers) -> Ended {
    link.forget_warnings();
    let sent = within(shared, async {
        let (written, committed) = tokio::join!(biased; columns.write(link), link.run("COMMIT"));
        Ok((written, committed))
    });
    let failure = match sent.await {
        // PostgreSQL says `committed` with a warning where somebody ended the wait for a synchronous replica.
        Ok((Ok(()), Ok(()))) if link.was_warned() => Failure::Late,
        Ok((Ok(()), Ok(()))) => {
            shared.tally.committed(answers.iter().filter(|answer| answer.is_ok()).count());
            shared.confirmed(head);
            return Ended::Done(answers);
        }
        // A statement that the server refused made its commit a rollback.
        Ok((Err(failure), _)) | Ok((Ok(()), Err(failure))) | Err(failure) => failure,
    };
    match columns.events.first().and_then(|first| Proof::of(first).ok()) {
        Some(proof) if failure.is_of_the_way() => Ended::Doubt(failure, proof, answers),
        _ => Ended::Nothing(failure),
    }
}

impl Proof {
    fn of(first: &Written) -> Result<Self, Failure> {
        let revision = codec::stored_revision(first.line.revision)?;
        Ok(Self { operation: first.operation, sequence: first.sequence, revision })
    }
}

async fn given_up(link: &Link, failure: Failure) -> Ended {
    if !failure.is_of_the_way()
        && let Err(error) = link.run("ROLLBACK").await
    {
        return Ended::Nothing(error);
    }
    Ended::Nothing(failure)
}

/// Whether a commit whose answer was lost counts. Taking its locks waits until the lost transaction is over, whatever
/// its end.
pub(crate) async fn is_proved(shared: &Shared, link: &Link, asked: &[Asked], proof: &Proof) -> Result<bool, Failure> {
    let buckets = buckets(asked);
    let with =
        [(&proof.operation.0 as _, Type::UUID), (&proof.revision as _, Type::INT4), (&proof.sequence as _, Type::INT8)];
    link.forget_warnings();
    within(shared, async {
        let locks = [(&buckets as _, Type::INT4_ARRAY)];
        let (begun, locked, found, ended) = tokio::join!(
            biased;
            link.run(BEGIN),
            link.query(LOCK, &locks),
            link.query(PROOF, &with),
            link.run("COMMIT")
        );
        begun.and(locked.map(|_| ()))?;
        ended?;
        if link.was_warned() {
            return Err(Failure::Late);
        }
        Ok(!found?.is_empty())
    })
    .await
}

/// Bounds what may hang: a dead connection is not always told.
async fn within<T>(shared: &Shared, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    timeout(shared.options.patience, work).await.unwrap_or(Err(Failure::Late))
}

fn buckets(asked: &[Asked]) -> Vec<i32> {
    // In one order for everybody, so that nobody waits in a circle.
    let mut buckets: Vec<i32> = asked.iter().flat_map(Asked::buckets).collect();
    buckets.sort_unstable();
    buckets.dedup();
    buckets
}

pub(crate) type Lines = Vec<Vec<(Line, Option<i32>)>>;

/// What each append writes, and the numbers of its place and texts.
pub(crate) async fn lay_out(link: &Link, names: &mut Names, asked: &[Asked]) -> Result<(Lines, Vec<i32>), Failure> {
    names.load(link).await?;
    let (mut all, mut places) = (Vec::new(), Vec::new());
    for one in asked {
        places.push(names.place(link, &one.identity).await?);
        let mut settled = Vec::new();
        for line in codec::lines(&one.append.records, one.append.seen + 1, &one.identity)? {
            settled.push(settle(link, names, line).await?);
        }
        all.push(settled);
    }
    Ok((all, places))
}

/// A line with the number of its end, or with the end put back.
async fn settle(link: &Link, names: &mut Names, mut line: Line) -> Result<(Line, Option<i32>), Failure> {
    let number = match &line.common {
        Some(text) => names.text(link, text).await?,
        None => None,
    };
    if number.is_none() {
        line.said = codec::join(&line.said, line.common.as_deref())?;
    }
    Ok((line, number))
}

/// Takes the locks, and then reads everything that the answers depend on: one round trip.
async fn look(shared: &Shared, link: &Link, asked: &[Asked], lines: usize) -> Result<(Head, Known), Failure> {
    let high = shared.high();
    let buckets = buckets(asked);
    let ids: Vec<Uuid> = asked.iter().map(|one| one.append.operation.0).collect();
    let keys: Vec<Uuid> = asked.iter().filter(|one| one.append.seen == 0).map(|one| one.key).collect();
    let claims: Vec<Uuid> = asked.iter().filter_map(|one| one.claim).collect();
    let count = i32::try_from(lines).unwrap_or(i32::MAX);
    let before = shared.clock.local();
    let (by_bucket, by_count) = ([(&buckets as _, Type::INT4_ARRAY)], [(&count as _, Type::INT4)]);
    let by_id = [(&ids as _, Type::UUID_ARRAY)];
    let by_hash = [(&keys as _, Type::UUID_ARRAY), (&claims as _, Type::UUID_ARRAY)];
    let taken =
        async { if keys.is_empty() && claims.is_empty() { Ok(Vec::new()) } else { link.query(TAKEN, &by_hash).await } };
    let (begun, locked, head, held, taken, similar) = tokio::join!(
        biased;
        link.run(if shared.options.prepared { BEGIN_PREPARED } else { BEGIN }),
        link.query(LOCK, &by_bucket),
        link.one(shared.head_sql(), &by_count),
        link.query(OPERATIONS, &by_id),
        taken,
        similar(link, asked)
    );
    begun.and(locked.map(|_| ()))?;
    let head = head?;
    shared.clock.note(before, head.try_get(5)?);
    let head = shared.understand(&head, high)?;
    let mut known = Known { similar: similar?, ..Known::default() };
    for row in held? {
        known.operations.insert(OperationId(row.try_get(0)?), stored(&row)?);
    }
    for row in taken? {
        let (is_claim, hash, by): (bool, Uuid, Uuid) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let into = if is_claim { &mut known.claims } else { &mut known.keys };
        into.insert(hash, OperationId(by));
    }
    Ok((head, known))
}

fn stored(row: &Row) -> Result<Held, Failure> {
    let revision: i32 = row.try_get(1)?;
    let revision = u64::try_from(revision).map_err(|_| Failure::Damaged("a revision is negative".into()))?;
    let identity = Identity {
        connection: row.try_get(3)?,
        account: row.try_get(4)?,
        cell: row.try_get(5)?,
        key: row.try_get(6)?,
        fingerprint: print(row.try_get(7)?)?,
    };
    Ok(Held { began_as: identity.clone(), identity, stored: revision, revision, claim: row.try_get(2)? })
}

/// A fingerprint from its 33 bytes.
pub(crate) fn print(bytes: &[u8]) -> Result<Fingerprint, Failure> {
    let damaged = || Failure::Damaged("a fingerprint has another length than 33 bytes".into());
    let (version, digest) = bytes.split_first().ok_or_else(damaged)?;
    Ok(Fingerprint { version: *version, digest: digest.try_into().map_err(|_| damaged())? })
}

async fn similar(link: &Link, asked: &[Asked]) -> Result<HashMap<usize, Vec<OperationId>>, Failure> {
    let mut found: HashMap<usize, Vec<OperationId>> = HashMap::new();
    let firsts: Vec<(i32, &Asked)> = (0..).zip(asked).filter(|(_, one)| one.append.seen == 0).collect();
    if firsts.is_empty() {
        return Ok(found);
    }
    let number: Vec<i32> = firsts.iter().map(|(number, _)| *number).collect();
    let alike: Vec<i64> = firsts.iter().map(|(_, one)| one.alike).collect();
    let since: Vec<i64> = firsts.iter().map(|(_, one)| one.append.similar_since_ms).collect();
    let print: Vec<Vec<u8>> =
        firsts.iter().map(|(_, one)| codec::print_bytes(one.identity.fingerprint).to_vec()).collect();
    let account: Vec<&str> = firsts.iter().map(|(_, one)| one.identity.account.as_str()).collect();
    let cell: Vec<&str> = firsts.iter().map(|(_, one)| one.identity.cell.as_str()).collect();
    let key: Vec<&str> = firsts.iter().map(|(_, one)| one.identity.key.as_str()).collect();
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 7] =
        [&number, &alike, &since, &print, &account, &cell, &key];
    let with: Vec<_> = values.into_iter().zip(SIMILAR_TYPES).collect();
    for row in link.query(SIMILAR, &with).await? {
        let (number, id): (i32, Uuid) = (row.try_get(0)?, row.try_get(1)?);
        found.entry(usize::try_from(number).unwrap_or_default()).or_default().push(OperationId(id));
    }
    Ok(found)
}
