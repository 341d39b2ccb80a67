//! What a proof leaves behind: one file for each cell.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::kit::Report;

/// Version of the shape of a result.
pub const FORMAT: u32 = 1;

/// The result of one cell: `tests/results/CELL.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellResult {
    /// Version of this shape.
    pub format: u32,
    /// `stripe.charge`.
    pub cell: String,
    /// Runs against our stand-in, or of the whole kit at a server that nobody here wrote.
    pub simulated: Option<Simulated>,
    /// Runs against a server that nobody here wrote.
    pub independent: Option<Independent>,
    /// The commit that was checked out.
    pub commit: String,
    /// Digest of the sources of core, adapter and kit: see [`source_hash`].
    pub sources: String,
}

/// Runs of the kit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simulated {
    /// Faults that were played.
    pub faults: usize,
    /// Seeds with which they were.
    pub seeds: Vec<u64>,
    /// Runs.
    pub runs: usize,
    /// Invariants that did not hold.
    pub violations: usize,
    /// Planted bugs that came to light on this cell.
    pub planted_bugs_caught: usize,
    /// Runs that missed an end while the machine stood still, and were played again.
    #[serde(default)]
    pub played_again: usize,
}

/// Runs against a server that nobody here wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Independent {
    /// Its name and version.
    pub server: String,
    /// Runs.
    pub runs: usize,
    /// Invariants that did not hold.
    pub violations: usize,
}

/// Whether results are to be written: `cargo xtask prove` sets it.
pub fn wanted() -> bool {
    std::env::var_os("HAPAX_PROVE").is_some_and(|value| value == "1")
}

/// What a report says of one cell.
pub fn simulated(report: &Report, cell: &str, planted_bugs_caught: usize) -> Simulated {
    Simulated {
        faults: report.faults(cell),
        seeds: report.seeds(),
        runs: report.played(cell).count(),
        violations: report.violations().iter().filter(|(row, _)| row.cell == cell).count(),
        planted_bugs_caught,
        played_again: report.played_again(cell),
    }
}

/// Writes the simulated half of a cell's result, keeping the other half if it was won with the same sources.
///
/// # Errors
/// Of the file system.
pub fn write_simulated(root: &Path, adapter: &str, cell: &str, simulated: Simulated) -> io::Result<()> {
    let mut result = present(root, adapter, cell)?;
    result.simulated = Some(simulated);
    write(root, &result)
}

/// Writes the independent half of a cell's result, keeping the other half if it was won with the same sources.
///
/// # Errors
/// Of the file system.
pub fn write_independent(root: &Path, adapter: &str, cell: &str, independent: Independent) -> io::Result<()> {
    let mut result = present(root, adapter, cell)?;
    result.independent = Some(independent);
    write(root, &result)
}

/// The repository that a crate of it lies in, from the crate's own folder.
pub fn root(crate_folder: &str) -> PathBuf {
    let start = Path::new(crate_folder);
    start.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap_or(start).to_owned()
}

/// `sha256:` and the digest of everything that a proof depends on: core, adapter, kit and the toolkit for stand-ins.
/// Paths are sorted and relative, and each file goes in with its path and length, so that none can run into the next.
///
/// # Errors
/// Of the file system.
pub fn source_hash(repo_root: &Path, adapter: &str) -> io::Result<String> {
    let adapter = format!("adapters/{adapter}/src");
    let mut files = Vec::new();
    for folder in ["core/src", &adapter, "tests/conformance/src", "tests/standin/src"] {
        collect(&repo_root.join(folder), &mut files)?;
    }
    let mut named: Vec<(String, PathBuf)> = files
        .into_iter()
        .map(|path| {
            let relative = path.strip_prefix(repo_root).unwrap_or(&path);
            let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            (parts.join("/"), path)
        })
        .collect();
    named.sort();
    let mut digest = Sha256::new();
    for (name, path) in named {
        let bytes = fs::read(path)?;
        digest.update(format!("{name}\n{}\n", bytes.len()));
        digest.update(&bytes);
    }
    let hex: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256:{hex}"))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn file_of(root: &Path, cell: &str) -> PathBuf {
    root.join("tests/results").join(format!("{cell}.json"))
}

/// The cell's result as it is, if it was won with these sources, or an empty one.
fn present(root: &Path, adapter: &str, cell: &str) -> io::Result<CellResult> {
    let sources = source_hash(root, adapter)?;
    let known = fs::read(file_of(root, cell)).ok().and_then(|bytes| serde_json::from_slice::<CellResult>(&bytes).ok());
    Ok(match known {
        Some(known) if known.sources == sources && known.format == FORMAT => {
            CellResult { commit: commit(root), ..known }
        }
        _ => CellResult {
            format: FORMAT,
            cell: cell.to_owned(),
            simulated: None,
            independent: None,
            commit: commit(root),
            sources,
        },
    })
}

fn write(root: &Path, result: &CellResult) -> io::Result<()> {
    let path = file_of(root, &result.cell);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut text = serde_json::to_string_pretty(result)?;
    text.push('\n');
    fs::write(path, text)
}

/// The commit that is checked out; `unknown` outside of a repository.
fn commit(root: &Path) -> String {
    let asked = std::process::Command::new("git").arg("-C").arg(root).args(["rev-parse", "HEAD"]).output();
    let said = asked.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    said.map_or_else(|| "unknown".to_owned(), |bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_moves_with_every_byte_and_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for part in ["core/src", "adapters/toy/src", "tests/conformance/src", "tests/standin/src"] {
            fs::create_dir_all(root.join(part)).expect("a folder");
        }
        let of = || source_hash(root, "toy").expect("a digest");
        let empty = of();
        fs::write(root.join("core/src/a.rs"), "x").expect("a file");
        let one = of();
        fs::rename(root.join("core/src/a.rs"), root.join("core/src/b.rs")).expect("another name");
        assert!(empty != one && one != of() && of() == of());
        assert!(one.starts_with("sha256:"));
    }

    #[test]
    fn both_halves_are_kept_while_the_sources_are_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for part in ["core/src", "adapters/toy/src", "tests/conformance/src", "tests/standin/src"] {
            fs::create_dir_all(root.join(part)).expect("a folder");
        }
        let runs =
            Simulated { faults: 1, seeds: vec![1], runs: 1, violations: 0, planted_bugs_caught: 1, played_again: 0 };
        write_simulated(root, "toy", "toy.send", runs).expect("written");
        let server = Independent { server: "s 1".to_owned(), runs: 2, violations: 0 };
        write_independent(root, "toy", "toy.send", server.clone()).expect("written");
        let read = || -> CellResult {
            serde_json::from_slice(&fs::read(file_of(root, "toy.send")).expect("a file")).expect("a result")
        };
        assert!(read().simulated.is_some() && read().independent.is_some());
        fs::write(root.join("core/src/a.rs"), "x").expect("a file");
        write_independent(root, "toy", "toy.send", server).expect("written");
        assert!(read().simulated.is_none() && read().independent.is_some());
    }
}
