//! What lists the adapters, from the folders of `adapters`: the catalog, and the crash suite with its jobs. It needs
//! no compiled adapter, so a new adapter is listed before anything else knows of it.

use std::path::Path;

use super::page::Page;
use crate::files::{self, Done, folders};
use crate::tidy::catalog::lacks;

/// Where an adapter says how its cells are killed.
pub(crate) const JOBS: &str = "tests/crash/jobs.rs";

/// The files that list adapters, with their lists as they should be.
pub(crate) fn pages(root: &Path) -> Done<Vec<Page>> {
    let is_whole = |name: &String| says(root, name, "lib.rs", "pub fn integration()") && lacks(root, name).is_empty();
    let names: Vec<String> = folders(&root.join("adapters")).into_iter().filter(is_whole).collect();
    let stand_ins: Vec<String> = names.iter().filter(|name| has_stand_in(root, name)).cloned().collect();
    let dependencies: String =
        names.iter().map(|name| format!("{} = {{ workspace = true, optional = true }}\n", crate_of(name))).collect();
    let manifest = [("dependencies", dependencies), ("features", features(&names, &stand_ins))];
    let list = [("integrations", arms(&names, |name| format!("{}::integration(),", package(name))))];
    let serve =
        |name: &str| format!("\"{name}\" => Some({}::standin::StandIn::new(world).serve(port).await),", package(name));
    let stand_ins = [
        ("names", arms(&stand_ins, |name| format!("\"{name}\","))),
        ("credentials", arms(&stand_ins, |name| format!("\"{name}\" => {}::standin::CREDENTIALS,", package(name)))),
        ("servers", arms(&stand_ins, serve)),
    ];
    Ok(vec![
        filled(root, "catalog/Cargo.toml", "#", &manifest)?,
        filled(root, "catalog/src/lib.rs", "//", &list)?,
        filled(root, "catalog/src/stand_in.rs", "//", &stand_ins)?,
        filled(root, "tests/crash/tests/all/jobs.rs", "//", &jobs(root, &names))?,
    ])
}

/// The crash suite's modules in the adapters' folders, and what it takes from each.
fn jobs(root: &Path, names: &[String]) -> [(&'static str, String); 3] {
    let with_jobs: Vec<&String> =
        names.iter().filter(|name| root.join("adapters").join(name).join(JOBS).is_file()).collect();
    let lines = |line: &dyn Fn(&str, &str) -> String| -> String {
        with_jobs.iter().map(|name| line(name, &name.replace('-', "_"))).collect()
    };
    [
        (
            "modules",
            lines(&|name, module| format!("#[path = \"../../../../adapters/{name}/{JOBS}\"]\nmod {module};\n")),
        ),
        ("jobs", lines(&|_, module| format!("        {module}::JOBS,\n"))),
        (
            "intents",
            lines(&|name, module| format!("        \"{name}\" => {module}::intent(job.cell, site, number).await,\n")),
        ),
    ]
}

/// Whether a source file of an adapter has this text. A folder in the making lacks something and
/// stays out of the catalog; tidy says what.
fn says(root: &Path, adapter: &str, file: &str, text: &str) -> bool {
    files::read(&root.join("adapters").join(adapter).join("src").join(file)).is_ok_and(|source| source.contains(text))
}

fn has_stand_in(root: &Path, adapter: &str) -> bool {
    ["standin.rs", "standin/mod.rs"].iter().any(|file| says(root, adapter, file, "pub const CREDENTIALS"))
}

/// The crate of an adapter, as Cargo names it: crates have hyphens where integrations have underscores.
pub(crate) fn crate_of(adapter: &str) -> String {
    format!("hapax-{}", adapter.replace('_', "-"))
}

/// The crate as Rust names it.
fn package(name: &str) -> String {
    format!("hapax_{}", name.replace('-', "_"))
}

/// A line for each adapter, there only with its feature.
fn arms(names: &[String], line: impl Fn(&str) -> String) -> String {
    names.iter().map(|name| format!("        #[cfg(feature = \"{name}\")]\n        {}\n", line(name))).collect()
}

/// A feature for each adapter, all on by default, and their stand-ins.
fn features(names: &[String], stand_ins: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let each: String = names.iter().map(|name| format!("{name} = [\"dep:{}\"]\n", crate_of(name))).collect();
    let stand_ins: String = stand_ins.iter().map(|name| format!(", \"{}?/standin\"", crate_of(name))).collect();
    format!(
        "default = [{}]\n{each}# Stand-ins of all adapters that are switched on.\nstandin = [\"dep:hapax-standin\"{stand_ins}]\n",
        quoted.join(", ")
    )
}

fn filled(root: &Path, path: &str, comment: &str, lists: &[(&str, String)]) -> Done<Page> {
    let mut text = files::read(&root.join(path))?;
    for (name, list) in lists {
        text = between(&text, comment, name, list).ok_or_else(|| {
            format!("{path} lacks the lines `{comment} generated: {name}` and `{comment} /generated`")
        })?;
    }
    Ok(Page::new(path, text))
}

/// The text with the lines between two comments replaced; `None`: there are no such comments.
fn between(text: &str, comment: &str, name: &str, list: &str) -> Option<String> {
    let open = format!("{comment} generated: {name}\n");
    let begin = text.find(&open)? + open.len();
    let close = begin + text.get(begin..)?.find(&format!("{comment} /generated"))?;
    let line = text.get(..close)?.rfind('\n')? + 1;
    Some(format!("{}{list}{}", text.get(..begin)?, text.get(line..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_replaced_and_its_comments_stay() {
        let text = "vec![\n    // generated: names\n    old,\n    // /generated\n]\n";
        let new = between(text, "//", "names", "    a,\n    b,\n").expect("comments");
        assert_eq!(new, "vec![\n    // generated: names\n    a,\n    b,\n    // /generated\n]\n");
        assert_eq!(between(text, "//", "others", ""), None);
    }

    #[test]
    fn each_adapter_is_a_feature_that_is_on() {
        let text = features(&["a".to_owned(), "b_c".to_owned()], &["b_c".to_owned()]);
        assert!(
            text.starts_with("default = [\"a\", \"b_c\"]\na = [\"dep:hapax-a\"]\nb_c = [\"dep:hapax-b-c\"]\n"),
            "{text}"
        );
        assert!(text.ends_with("standin = [\"dep:hapax-standin\", \"hapax-b-c?/standin\"]\n"), "{text}");
    }
}
