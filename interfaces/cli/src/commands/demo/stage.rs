//! What the demo happens on: provider, breakable line, ledger.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hapax_catalog::start_stand_in;
use hapax_core::clock::{Clock, ScaledClock};
use hapax_core::identity::NamespaceSecret;
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::{Fault, FaultProxy, Kind, Server, When};
use tempfile::TempDir;

use crate::commands::init::write_new;
use crate::exit::Failure;

/// How much faster time passes, so that nobody waits for the leases of a killed worker. An answer may
/// take 80 s; that is 1.6 s here, which a slow machine can keep.
const SCALE: u32 = 50;

/// How long the provider takes to repair what it lost.
const REPAIR_MS: i64 = 3_600_000;

/// Everything that must live as long as the demo.
pub(super) struct Stage {
    server: Server,
    proxy: FaultProxy,
    /// By how much the provider's clock was put forward.
    skipped_ms: Arc<AtomicI64>,
    folder: TempDir,
}

impl Stage {
    pub(super) async fn set_up() -> Result<Self, Failure> {
        let broken = |what: &str, error: &dyn std::fmt::Display| {
            Failure::internal(format!("nothing was sent: the demo could not set up {what} ({error})"))
        };
        let skipped_ms = Arc::new(AtomicI64::new(0));
        let (clock, skipped) = (ScaledClock::new(SCALE), skipped_ms.clone());
        let now = move || clock.now().wall_ms + skipped.load(Ordering::SeqCst);
        let server =
            start_stand_in("stripe", 0, Arc::new(now)).await.map_err(|error| broken("its provider", &error))?;
        let proxy = FaultProxy::start(&server.url()).await.map_err(|error| broken("its line", &error))?;
        let folder = tempfile::tempdir().map_err(|error| broken("its folder", &error))?;
        let stage = Self { server, proxy, skipped_ms, folder };
        write_new(&stage.folder.path().join("hapax.secret"), NamespaceSecret::generate().expose())?;
        drop(SqliteLedger::create(stage.folder.path().join("hapax.ledger"))?);
        write_new(&stage.config(), &stage.configuration())?;
        Ok(stage)
    }

    fn configuration(&self) -> String {
        format!(
            "[ledger]\npath = \"hapax.ledger\"\n[namespace]\nsecret_file = \"hapax.secret\"\n[clock]\nscale = {SCALE}\n\
             # A person is asked after a few looks, so that nobody waits for the usual twenty.\n\
             [policy.bounds]\nlooks = 6\n\
             [connections.shop]\nintegration = \"stripe\"\nbase_url = \"{}\"\nstand_in = true\n",
            self.proxy.url()
        )
    }

    /// The configuration that workers get.
    pub(super) fn config(&self) -> PathBuf {
        self.folder.path().join("hapax.toml")
    }

    /// Where workers run, so that no configuration of the user's is found.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The provider, behind the line that breaks.
    pub(super) fn url(&self) -> String {
        self.proxy.url()
    }

    /// How often something has happened so far, by the provider's own count.
    pub(super) fn count(&self, kind: &str) -> usize {
        self.server.effects().count(kind)
    }

    /// The line breaks once, when the provider has done what it was asked and before it can say so.
    pub(super) fn lose_answer(&self, path: &str) {
        self.proxy.inject(When::on("POST", path), Fault::CutAfterCommit);
    }

    /// The provider trips once: it answers with an error, and repairs it an hour later.
    pub(super) fn trip(&self, path: &str) {
        let kind = Kind::StoredError { status: 500, effect: false, repaired_after_ms: Some(REPAIR_MS) };
        self.server.injections().add(When::on("POST", path), kind);
    }

    /// An hour passes for the provider.
    pub(super) fn skip_the_repair(&self) {
        self.skipped_ms.fetch_add(REPAIR_MS + 60_000, Ordering::SeqCst);
    }
}
