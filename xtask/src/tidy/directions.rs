//! Which crate may depend on which.

use std::path::Path;

use serde::Deserialize;

use super::catalog::OF_DECLARATIONS;
use crate::files::Done;
use crate::run::Line;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev`, `build`, or none.
    kind: Option<String>,
    optional: bool,
    /// Set for crates of this repository.
    path: Option<String>,
}

/// Crates that send again on their own, or bring a second way to the network.
const SENDS_AGAIN: [&str; 7] =
    ["async-stripe", "backoff", "backon", "reqwest-middleware", "reqwest-retry", "tokio-retry", "ureq"];

/// Crates of databases: for ledgers, not for the core.
const DATABASES: [&str; 5] = ["rusqlite", "sqlx", "postgres", "tokio-postgres", "diesel"];

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let text = Line::new("cargo metadata --format-version 1 --no-deps --offline").output(root)?;
    let metadata: Metadata = serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    let mut findings = Vec::new();
    for package in &metadata.packages {
        let Some(from) = place(root, &package.manifest_path) else { continue };
        for dependency in package.dependencies.iter().filter(|dependency| dependency.kind.as_deref() != Some("dev")) {
            if SENDS_AGAIN.contains(&dependency.name.as_str()) {
                findings.push(format!("{} depends on {}, which sends again on its own", package.name, dependency.name));
            }
            if from == "core" && DATABASES.contains(&dependency.name.as_str()) {
                findings.push(format!("the core depends on {}; databases belong to ledgers", dependency.name));
            }
            let Some(path) = &dependency.path else { continue };
            let Some(to) = place(root, &format!("{path}/Cargo.toml")) else { continue };
            if let Some(why) = forbidden(&from, &to, dependency.optional) {
                findings.push(format!("{} depends on {}: {why}", package.name, dependency.name));
            }
        }
    }
    Ok(findings)
}

/// A crate's folder from the root.
fn place(root: &Path, manifest: &str) -> Option<String> {
    let path = Path::new(manifest).parent()?.strip_prefix(root).ok()?;
    Some(path.to_string_lossy().replace('\\', "/"))
}

/// Why a crate in this folder may not depend on one in that; `None`: it may.
fn forbidden(from: &str, to: &str, optional: bool) -> Option<&'static str> {
    let in_folder = |place: &str, folder: &str| place.split('/').next() == Some(folder);
    if from == "core" {
        return Some("the core knows no other crate of this repository");
    }
    if to == "core" {
        return None;
    }
    let declarations = format!("adapters/{OF_DECLARATIONS}");
    if from == declarations && to == "tests/conformance" {
        return (!optional).then_some("declarations are proven behind a feature");
    }
    if in_folder(from, "adapters") {
        let toolkit = to == "tests/standin" && optional;
        return (!toolkit).then_some("an adapter depends on the core and, behind `standin`, on the toolkit");
    }
    if in_folder(from, "ledgers") {
        return Some("a ledger depends on the core alone");
    }
    if from == "catalog" {
        let known = in_folder(to, "adapters") || to == "tests/standin";
        return (!(known && optional)).then_some("the catalog lists adapters, each behind a feature");
    }
    if in_folder(from, "interfaces") {
        let known = ["catalog", "tests/standin", &declarations].contains(&to)
            || in_folder(to, "ledgers")
            || in_folder(to, "interfaces");
        return (!known)
            .then_some("an interface depends on core, catalog, declarations and ledgers, on nothing per provider");
    }
    if from == "tests/standin" {
        return Some("the toolkit knows providers' manners, not hapax");
    }
    if from == "tests/conformance" {
        let known = to == "tests/standin" || in_folder(to, "ledgers");
        return (!known).then_some("the kit is for everybody's adapters: it knows core, ledgers and toolkit");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::forbidden;

    #[test]
    fn directions_are_as_the_map_says() {
        let allowed = [
            ("adapters/a", "core", false),
            ("adapters/a", "tests/standin", true),
            ("ledgers/l", "core", false),
            ("catalog", "adapters/a", true),
            ("interfaces/cli", "catalog", false),
            ("tests/conformance", "tests/standin", false),
            ("tests/conformance", "ledgers/l", false),
            ("tests/crash", "interfaces/cli", false),
        ];
        for (from, to, optional) in allowed {
            assert_eq!(forbidden(from, to, optional), None, "{from} -> {to}");
        }
        let wrong = [
            ("core", "tests/standin", false),
            ("adapters/a", "adapters/b", false),
            ("adapters/a", "tests/standin", false),
            ("adapters/a", "ledgers/l", true),
            ("ledgers/l", "catalog", false),
            ("catalog", "adapters/a", false),
            ("interfaces/cli", "adapters/a", false),
            ("tests/conformance", "catalog", false),
            ("tests/standin", "adapters/a", false),
        ];
        for (from, to, optional) in wrong {
            assert!(forbidden(from, to, optional).is_some(), "{from} -> {to}");
        }
    }
}
