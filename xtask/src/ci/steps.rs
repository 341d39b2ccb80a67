use std::path::Path;

use crate::files::{Done, folders, read};
use crate::generate::catalog::crate_of;
use crate::run::{Line, has_nextest};
use crate::{generate, prove, tidy};

/// One check of `ci`.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) jobs: Vec<Job>,
}

/// A part of a step.
pub(super) enum Job {
    /// A command.
    Run(Line),
    /// A chore of ours.
    Chore(fn(&Path) -> Done),
    /// Left out, and why.
    Skipped(String),
}

fn run(text: &str) -> Job {
    Job::Run(Line::new(text))
}

/// The steps, cheapest failure first.
pub(super) fn steps(root: &Path) -> Vec<Step> {
    let step = |name, what, jobs| Step { name, what, jobs };
    vec![
        step("format", "the formatter changes nothing", formatted()),
        step("tidy", "what no compiler checks", vec![Job::Chore(tidy::tidy)]),
        step("generated", "generated files are fresh", vec![Job::Chore(|root| generate::generate(root, true))]),
        step(
            "clippy",
            "no warnings on all targets",
            vec![run("cargo clippy --workspace --all-targets -- -D warnings")],
        ),
        step("test", "all tests, documentation included", tests(root)),
        step("docs", "the reference builds without warnings", vec![docs()]),
        step("features", "each feature alone", features(root)),
        step("kit", "the kit finds planted bugs; the recorded proof is what it shows now", kits(root)),
        step("restate", "handlers on a real Restate server, killed in the middle", restate(root)),
        step(
            "deny",
            "licences, advisories and sources of dependencies",
            vec![tool(root, "deny", "cargo deny --all-features check")],
        ),
        step("spelling", "no typos", vec![tool(root, "typos", "typos")]),
    ]
}

/// The manifest of the workspace that stands apart.
const RESTATE: &str = "tests/restate/Cargo.toml";

/// Both workspaces: what takes a second is not to fail after half an hour.
fn formatted() -> Vec<Job> {
    vec![run("cargo fmt --all --check"), run(&format!("cargo fmt --manifest-path {RESTATE} --check"))]
}

/// With nextest, which keeps tests of one binary apart, where it is there.
fn tests(root: &Path) -> Vec<Job> {
    if has_nextest(root) {
        // The kits are long and have a step of their own.
        vec![run("cargo nextest run --workspace --filterset not(binary(kit))"), run("cargo test --workspace --doc")]
    } else {
        vec![
            Job::Skipped("cargo-nextest is not installed; cargo test runs everything".to_owned()),
            run("cargo test --workspace"),
        ]
    }
}

/// The toy's kit, then those of the adapters.
fn kits(root: &Path) -> Vec<Job> {
    let recorded = Job::Chore(|root| prove::prove(root, &[], true));
    let toy = match has_nextest(root) {
        true => "cargo nextest run --workspace --filterset binary(kit)&package(hapax-conformance)",
        false => "cargo test -p hapax-conformance --test kit",
    };
    vec![run(toy), recorded]
}

/// A workspace of its own, for the reason in its manifest, with the target folder of the others. It is built only where its
/// server can be started: without it nothing of it is shown.
fn restate(root: &Path) -> Vec<Job> {
    let installed = std::env::var_os("HAPAX_THIRD_PARTY").map_or_else(|| root.join(".third-party"), Into::into);
    let script = installed.join("restate.sh");
    if !Line::new(&format!("{} --can", script.display())).is_there(root) {
        let why =
            "no Restate server can be started here; tests/third-party/install.sh installs it, and it needs unshare";
        return vec![Job::Skipped(why.to_owned())];
    }
    let its = format!("--manifest-path {RESTATE}");
    vec![
        run(&format!("cargo clippy {its} --target-dir target --locked --all-targets -- -D warnings")),
        run(&format!("cargo test {its} --target-dir target --locked")),
    ]
}

fn docs() -> Job {
    Job::Run(Line::new("cargo doc --workspace --no-deps").with("RUSTDOCFLAGS", "-D warnings"))
}

/// The catalog and each adapter with nothing, and with each of their features alone.
fn features(root: &Path) -> Vec<Job> {
    let adapters =
        folders(&root.join("adapters")).into_iter().map(|name| (format!("adapters/{name}"), crate_of(&name)));
    let mut jobs = Vec::new();
    for (folder, package) in adapters.chain([("catalog".to_owned(), "hapax-catalog".to_owned())]) {
        jobs.push(run(&format!("cargo check --quiet -p {package} --no-default-features")));
        for feature in named_features(&read(&root.join(folder).join("Cargo.toml")).unwrap_or_default()) {
            jobs.push(run(&format!("cargo check --quiet -p {package} --no-default-features --features {feature}")));
        }
    }
    jobs
}

/// The features that a manifest names, without the default.
fn named_features(manifest: &str) -> Vec<String> {
    let table: toml::Table = manifest.parse().unwrap_or_default();
    let features = table.get("features").and_then(toml::Value::as_table);
    features.into_iter().flatten().map(|(name, _)| name.clone()).filter(|name| name != "default").collect()
}

/// A tool that is slow to build is run where it is installed, and its absence is said.
fn tool(root: &Path, name: &str, command: &str) -> Job {
    let version = if name == "typos" { "typos --version".to_owned() } else { format!("cargo {name} --version") };
    if Line::new(&version).is_there(root) { run(command) } else { Job::Skipped(format!("{name} is not installed")) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_default_is_no_feature_of_its_own() {
        let manifest = "[features]\ndefault = [\"a\"]\na = []\nb = [\"a\"]\n";
        assert_eq!(super::named_features(manifest), ["a", "b"]);
    }
}
