//! The repository's files.

use std::path::{Path, PathBuf};

/// What a chore comes to: a sentence if it fails.
pub(crate) type Done<T = ()> = Result<T, String>;

/// Folders that hold nothing of ours.
const FOREIGN: [&str; 6] = ["target", ".git", ".third-party", ".peers", "node_modules", ".venv"];

/// The repository's root: the folder above this crate's.
pub(crate) fn root() -> Done<PathBuf> {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("xtask"), PathBuf::from);
    let root = here.join("..").canonicalize().map_err(|error| format!("{}: {error}", here.display()))?;
    if root.join("adapters").is_dir() { Ok(root) } else { Err("run it as `cargo xtask`, inside the repository".into()) }
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Done<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a text file, and its folder if it isn't there.
pub(crate) fn write(path: &Path, text: &str) -> Done {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)
}

/// All files below a folder, sorted, without what is built or foreign.
pub(crate) fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !FOREIGN.iter().any(|foreign| name == *foreign) => folders.push(path),
                Ok(kind) if kind.is_file() => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Files below a folder whose name ends so, with their text.
pub(crate) fn texts(folder: &Path, ending: &str) -> Vec<(PathBuf, String)> {
    let named = |path: &PathBuf| path.to_string_lossy().ends_with(ending);
    walk(folder).into_iter().filter(named).filter_map(|path| Some((path.clone(), read(&path).ok()?))).collect()
}

/// Names of the folders in a folder, sorted.
pub(crate) fn folders(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A path as people write it: from the root, with forward slashes.
pub(crate) fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}
