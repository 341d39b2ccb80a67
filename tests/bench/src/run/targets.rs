//! Who is measured, and beside whom.

use std::path::{Path, PathBuf};

use hapax_standin::third_party::postgres::available;

/// The unguarded call, that all others are compared with.
pub const RAW: &str = "raw";
/// hapax on SQLite.
pub const SQLITE: &str = "hapax-sqlite";
/// hapax on PostgreSQL.
pub const POSTGRES: &str = "hapax-postgres";
/// The crate of that name, on SQLite.
pub const AGENT_EFFECTS: &str = "agent-effects";
/// DBOS TypeScript on PostgreSQL.
pub const DBOS: &str = "dbos";
/// Restate's server, with a service in Rust.
pub const RESTATE: &str = "restate";

/// All of them.
pub const ALL: [&str; 6] = [RAW, SQLITE, POSTGRES, AGENT_EFFECTS, DBOS, RESTATE];

/// Targets that take turns. Peers of another kind are not alive meanwhile: some work even while nobody calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) targets: Vec<&'static str>,
}

const WITHOUT_PEERS: [(&str, &[&str]); 1] = [("hapax", &[RAW, SQLITE, POSTGRES])];
const WITH_PEERS: [(&str, &[&str]); 3] = [
    ("sqlite", &[RAW, SQLITE, AGENT_EFFECTS]),
    ("postgres", &[RAW, POSTGRES, DBOS]),
    ("restate", &[RAW, SQLITE, POSTGRES, RESTATE]),
];

/// The families of a run, and what is left out of it, with the reason.
pub(super) fn families(peers: bool, only: &[String], there: impl Fn(&str) -> bool) -> (Vec<Family>, Vec<&'static str>) {
    let all: &[(&str, &[&str])] = if peers { &WITH_PEERS } else { &WITHOUT_PEERS };
    let wanted = |target: &str| target == RAW || only.is_empty() || only.iter().any(|one| one == target);
    let mut missing: Vec<&str> = all.iter().flat_map(|(_, targets)| *targets).copied().collect();
    missing.retain(|target| wanted(target) && !there(target));
    missing.sort_unstable();
    missing.dedup();
    let family = |(name, targets): &(&'static str, &[&'static str])| Family {
        name,
        targets: targets.iter().copied().filter(|target| wanted(target) && there(target)).collect(),
    };
    // Nothing to compare with the unguarded call is no family.
    (all.iter().map(family).filter(|family| family.targets.len() > 1).collect(), missing)
}

/// Where peers are installed, and from what.
#[derive(Clone, Debug)]
pub(super) struct Peers {
    /// Installed, and ignored by the repository.
    pub(super) at: PathBuf,
    /// Our programs and settings.
    pub(super) from: PathBuf,
}

impl Peers {
    pub(super) fn new() -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
        let at = std::env::var_os("HAPAX_PEERS").map(PathBuf::from);
        let at = at.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.peers"));
        Self { at: at.canonicalize().unwrap_or(at), from }
    }

    /// Installs what isn't there yet.
    pub(super) async fn install(&self) -> Result<(), String> {
        let mut install = tokio::process::Command::new(self.from.join("install.sh"));
        let ended = install.env("HAPAX_PEERS", &self.at).stdin(std::process::Stdio::null()).status().await;
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("peers/install.sh ended with {status}")),
            Err(error) => Err(format!("peers/install.sh: {error}")),
        }
    }

    /// Whether this target can be measured here.
    pub(super) fn there(&self, target: &str) -> bool {
        match target {
            POSTGRES => available(),
            AGENT_EFFECTS => self.agent_effects().exists(),
            DBOS => available() && self.at.join("node_modules/@dbos-inc/dbos-sdk").exists(),
            RESTATE => self.restate_service().exists() && self.restate_server().is_some(),
            _ => true,
        }
    }

    pub(super) fn agent_effects(&self) -> PathBuf {
        self.at.join("target/release/peer-agent-effects")
    }

    pub(super) fn restate_service(&self) -> PathBuf {
        self.at.join("target/release/peer-restate")
    }

    /// The package has the server of one platform.
    pub(super) fn restate_server(&self) -> Option<PathBuf> {
        let platforms = std::fs::read_dir(self.at.join("node_modules/@restatedev")).ok()?.flatten();
        platforms.map(|platform| platform.path().join("bin/restate-server")).find(|server| server.exists())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_has_the_unguarded_call_and_what_is_missing_is_said() {
        let (families, missing) = families(true, &[], |target| target != DBOS);
        assert!(families.iter().all(|family| family.targets.first() == Some(&RAW)), "{families:?}");
        assert_eq!(missing, [DBOS]);
        let names = |family: &Family| (family.name, family.targets.len());
        assert_eq!(families.iter().map(names).collect::<Vec<_>>(), [("sqlite", 3), ("postgres", 2), ("restate", 4)]);
    }

    #[test]
    fn only_what_is_asked_for_runs() {
        let only = [SQLITE.to_owned()];
        let (families, missing) = families(false, &only, |target| target != POSTGRES);
        assert_eq!(families, [Family { name: "hapax", targets: vec![RAW, SQLITE] }]);
        assert_eq!(missing, Vec::<&str>::new(), "what nobody asked for is not missed");
    }
}
