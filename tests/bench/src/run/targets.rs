use std::collections::BTreeMap;
use std::path::PathBuf;

use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER, available};
use tempfile::TempDir;

use super::driver::{Driver, Provider, ourselves};
use crate::machine::Family;

/// The unguarded call, that all others are compared with.
pub const RAW: &str = "raw";
/// hapax on SQLite.
pub const SQLITE: &str = "hapax-sqlite";
/// hapax on PostgreSQL.
pub const POSTGRES: &str = "hapax-postgres";

/// Everything that runs during the bench.
pub(super) struct Bed {
    pub(super) provider: Provider,
    pub(super) folder: TempDir,
    cluster: Option<Cluster>,
    drivers: BTreeMap<String, Driver>,
}

/// What PostgreSQL is told besides its defaults: room, and nothing about durability.
const SETTINGS: &str = "shared_buffers = '256MB'\nmax_wal_size = '4GB'";

impl Bed {
    pub(super) async fn make(folder: TempDir) -> Result<Self, String> {
        let provider = Provider::start().await?;
        Ok(Self { provider, folder, cluster: None, drivers: BTreeMap::new() })
    }

    /// What of this there is on this machine.
    pub(super) fn there(target: &str) -> bool {
        target != POSTGRES || available()
    }

    /// Starts what this target needs, once.
    pub(super) async fn start(&mut self, target: &str) -> Result<(), String> {
        if self.drivers.contains_key(target) {
            return Ok(());
        }
        let driver = ["drive", "--provider", &self.provider.url.clone()].map(str::to_owned);
        let driver = driver.into_iter();
        let command = match target {
            RAW => ourselves(driver.chain(["raw".to_owned()]))?,
            SQLITE => {
                let path = self.sqlite().display().to_string();
                ourselves(driver.chain(["sqlite".to_owned(), path]))?
            }
            POSTGRES => {
                let cluster = self.cluster().await?;
                let url = format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/postgres?sslmode=disable", cluster.port());
                let mut command = ourselves(driver.chain(["postgres".to_owned(), "hapax_bench".to_owned()]))?;
                command.env("HAPAX_BENCH_POSTGRES", url);
                command
            }
            other => return Err(format!("there is no target {other}")),
        };
        self.drivers.insert(target.to_owned(), Driver::start(target, command).await?);
        Ok(())
    }

    pub(super) fn sqlite(&self) -> PathBuf {
        self.folder.path().join("hapax.ledger")
    }

    async fn cluster(&mut self) -> Result<&Cluster, String> {
        if self.cluster.is_none() {
            let made = Cluster::start_with(SETTINGS).await;
            self.cluster = Some(made.map_err(|error| format!("PostgreSQL: {error}"))?);
        }
        self.cluster.as_ref().ok_or_else(|| "PostgreSQL is gone".to_owned())
    }

    pub(super) fn driver(&mut self, target: &str) -> Result<&mut Driver, String> {
        self.drivers.get_mut(target).ok_or_else(|| format!("{target} was not started"))
    }

    /// The processes of the guard.
    pub(super) fn guard(&self, target: &str) -> Family {
        let driver = self.drivers.get(target).map(Driver::id);
        let server = (target == POSTGRES).then(|| self.postmaster()).flatten();
        Family::of(driver.into_iter().chain(server))
    }

    /// All processes of the bench.
    pub(super) fn ours(&self) -> Family {
        Family::of([std::process::id()]).and(self.postmaster())
    }

    /// The server runs outside of our tree of processes: it detaches itself.
    fn postmaster(&self) -> Option<u32> {
        let lock = std::fs::read_to_string(self.cluster.as_ref()?.data().join("postmaster.pid")).ok()?;
        lock.lines().next()?.trim().parse().ok()
    }

    pub(super) async fn end(self) -> Result<(), String> {
        for driver in self.drivers.into_values() {
            driver.end().await?;
        }
        Ok(())
    }
}
