//! What stands between us and the server, as far as it shows from here; and whether that server was left behind.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_postgres::config::TargetSessionAttrs;

use crate::address::Address;
use crate::error::{Failure, is_of_statements};
use crate::link::Link;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    /// Nothing that shares connections. A pooler in session mode is as good as none.
    NoneSeen,
    /// A pooler in transaction mode, and whether it follows prepared statements.
    Pooler { follows: bool },
}

/// How often one connection looks for the other one's process. Poolers hand out first what they got back last.
const LOOKS: u32 = 4;

/// Prepared, so that it stays behind in the process that it came to.
const STAYS: &str = "SELECT pg_backend_pid() AS hapax_looks_for_a_pooler";

/// The process, and under which name our statement is in it.
const FINDS: &str = "SELECT pg_backend_pid(), (SELECT name FROM pg_prepared_statements \
     WHERE statement = 'SELECT pg_backend_pid() AS hapax_looks_for_a_pooler' LIMIT 1)";

/// A pooler in session mode that has no connection left keeps us waiting.
const PATIENCE: Duration = Duration::from_secs(5);

/// Looks with two connections: where the second one comes to the process of the first, which is still open, both share it.
pub(crate) async fn look(address: &Address) -> Result<Between, Failure> {
    timeout(PATIENCE, look_with_two(address)).await.unwrap_or(Ok(Between::NoneSeen))
}

async fn look_with_two(address: &Address) -> Result<Between, Failure> {
    let (mut one, mut other) = (Link::connect(address, true).await?, Link::connect(address, true).await?);
    for _ in 0..LOOKS {
        let process: i32 = match process_of(&one).await {
            Ok(process) => process,
            // It was there a moment ago, in another process.
            Err(Failure::Sql(error)) if error.code().is_some_and(is_of_statements) => {
                return Ok(Between::Pooler { follows: false });
            }
            Err(failure) => return Err(failure),
        };
        other.run("BEGIN READ ONLY").await?;
        let found = other.one(FINDS, &[]).await?;
        let (here, name): (i32, Option<&str>) = (found.try_get(0)?, found.try_get(1)?);
        // A pooler that follows statements gives them names of its own.
        let ours = name.filter(|name| is_a_name_of_ours(name));
        if let Some(name) = ours.filter(|_| here == process) {
            // Nobody else is to meet it.
            other.run(&format!("DEALLOCATE \"{name}\"")).await?;
        }
        other.run("ROLLBACK").await?;
        if here == process {
            return Ok(Between::Pooler { follows: name.is_some() && ours.is_none() });
        }
        std::mem::swap(&mut one, &mut other);
    }
    Ok(Between::NoneSeen)
}

async fn process_of(link: &Link) -> Result<i32, Failure> {
    link.prepare(STAYS, &[]).await?;
    Ok(link.one(STAYS, &[]).await?.try_get(0)?)
}

/// As the library counts them.
fn is_a_name_of_ours(name: &str) -> bool {
    name.strip_prefix('s').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// How long the other hosts may take. Who doesn't answer is away, as after every fail-over.
const OTHERS: Duration = Duration::from_secs(2);

/// Which cluster, and the highest timeline that a server knows of, a replica too.
const STANDS: &str = "SELECT (SELECT system_identifier FROM pg_control_system()), CASE \
     WHEN pg_is_in_recovery() THEN (SELECT timeline_id FROM pg_control_checkpoint())::int8 \
     ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int8 END";

/// Whether another host of the address is of this cluster and on a newer timeline: a replica took over there, and the
/// server that we came to is the primary of before, which came back alone.
pub(crate) async fn is_left_behind(link: &Link, address: &Address) -> Result<bool, Failure> {
    let hosts = address.hosts();
    if hosts.len() < 2 {
        return Ok(false);
    }
    let (system, timeline) = stands(link).await?;
    let mut others = JoinSet::new();
    for (mut host, _) in hosts {
        host.target_session_attrs(TargetSessionAttrs::Any);
        let address = address.clone();
        others.spawn(async move {
            let asked = async { stands(&Link::to(&host, &address, false).await?).await };
            timeout(OTHERS, asked).await.ok().and_then(Result::ok)
        });
    }
    Ok(others.join_all().await.into_iter().flatten().any(|other| other.0 == system && other.1 > timeline))
}

async fn stands(link: &Link) -> Result<(i64, i64), Failure> {
    let row = link.one(STANDS, &[]).await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}
