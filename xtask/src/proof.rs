//! How far a cell is proven. Only recorded results set it; nobody types it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::files::{Done, read};

/// The level, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Documents only.
    Claimed,
    /// Our stand-in, every fault.
    Simulated,
    /// A stateful server that nobody here wrote.
    Independent,
    /// The vendor's own test environment.
    Sandbox,
}

impl Level {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Simulated => "simulated",
            Self::Independent => "independent",
            Self::Sandbox => "sandbox",
        }
    }
}

/// What one file in `tests/results` says.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Recorded {
    pub(crate) format: u32,
    pub(crate) cell: String,
    #[serde(default)]
    pub(crate) simulated: Option<Simulated>,
    #[serde(default)]
    pub(crate) independent: Option<Elsewhere>,
    #[serde(default)]
    pub(crate) sandbox: Option<Elsewhere>,
    /// Whether requests and answers agree with the vendor's description.
    #[serde(default)]
    pub(crate) shape: bool,
    /// Digest of the sources of core, adapter and kit that it was run with.
    pub(crate) sources: String,
}

/// Runs against our stand-in.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Simulated {
    pub(crate) faults: u64,
    #[serde(default)]
    pub(crate) seeds: Vec<u64>,
    pub(crate) runs: u64,
    pub(crate) violations: u64,
    pub(crate) planted_bugs_caught: u64,
}

/// Runs against somebody else's server.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Elsewhere {
    pub(crate) server: String,
    pub(crate) runs: u64,
    pub(crate) violations: u64,
}

/// A cell's proof level and what it rests on.
#[derive(Clone, Debug)]
pub(crate) struct Proof {
    pub(crate) level: Level,
    pub(crate) shape: bool,
    /// Why it is no more than claimed, if it is.
    pub(crate) lowered: Option<String>,
    pub(crate) recorded: Option<Recorded>,
}

/// The recorded results, by cell.
pub(crate) fn load(root: &Path) -> Done<BTreeMap<String, Recorded>> {
    let mut results = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(root.join("tests/results")) else { return Ok(results) };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|ending| ending == "json") {
            let recorded: Recorded =
                serde_json::from_str(&read(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
            results.insert(recorded.cell.clone(), recorded);
        }
    }
    Ok(results)
}

/// The level that a record gives, with the sources as they are now.
pub(crate) fn judge(recorded: Option<&Recorded>, sources: &str) -> Proof {
    let lowered =
        |why: String| Proof { level: Level::Claimed, shape: false, lowered: Some(why), recorded: recorded.cloned() };
    let Some(found) = recorded else { return lowered("no result is recorded".to_owned()) };
    let elsewhere = || found.independent.iter().chain(&found.sandbox);
    let violations = found.simulated.as_ref().map_or(0, |runs| runs.violations)
        + elsewhere().map(|runs| runs.violations).sum::<u64>();
    if found.format != 1 {
        return lowered(format!("the result has format {}, not 1", found.format));
    }
    if violations > 0 {
        return lowered(format!("{violations} violations are recorded"));
    }
    if found.sources != sources {
        return lowered("core, adapter or kit have changed since the result was recorded".to_owned());
    }
    // A kit that caught no planted bug could not have failed.
    let simulated = found.simulated.as_ref().filter(|runs| runs.runs > 0 && runs.planted_bugs_caught > 0);
    if simulated.is_none() {
        return lowered("the record has no runs, or caught no planted bug".to_owned());
    }
    let ran = |runs: &Option<Elsewhere>| runs.as_ref().is_some_and(|runs| runs.runs > 0);
    let level = match (ran(&found.sandbox), ran(&found.independent)) {
        (true, _) => Level::Sandbox,
        (false, true) => Level::Independent,
        (false, false) => Level::Simulated,
    };
    Proof { level, shape: found.shape, lowered: None, recorded: recorded.cloned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(simulated: &str, independent: &str) -> Recorded {
        let text = format!(
            r#"{{"format":1,"cell":"a.b","simulated":{simulated},"independent":{independent},"commit":"c","sources":"sha256:1"}}"#
        );
        serde_json::from_str(&text).expect("a record")
    }

    const RAN: &str = r#"{"faults":40,"seeds":[1],"runs":40,"violations":0,"planted_bugs_caught":9}"#;

    #[test]
    fn only_fresh_results_without_violations_raise_the_level() {
        let elsewhere = r#"{"server":"s 1","runs":3,"violations":0}"#;
        let level = |record: &Recorded, sources: &str| judge(Some(record), sources).level;
        assert_eq!(judge(None, "sha256:1").level, Level::Claimed);
        assert_eq!(level(&record(RAN, "null"), "sha256:1"), Level::Simulated);
        assert_eq!(level(&record(RAN, elsewhere), "sha256:1"), Level::Independent);
        assert_eq!(level(&record(RAN, elsewhere), "sha256:2"), Level::Claimed);
        assert_eq!(level(&record("null", elsewhere), "sha256:1"), Level::Claimed);
    }

    #[test]
    fn a_violation_or_a_kit_that_cannot_fail_lowers_it() {
        let broken = RAN.replace(r#""violations":0"#, r#""violations":1"#);
        let blind = RAN.replace(r#""planted_bugs_caught":9"#, r#""planted_bugs_caught":0"#);
        assert_eq!(judge(Some(&record(&broken, "null")), "sha256:1").level, Level::Claimed);
        assert_eq!(judge(Some(&record(&blind, "null")), "sha256:1").level, Level::Claimed);
    }
}
