//! The catalog's lists, from the folders of `adapters`. They need no compiled adapter, so a new
//! adapter is listed before anything else knows of it.

use std::path::Path;

use super::page::Page;
use crate::files::{self, Done, folders};

/// The catalog's files with their lists as they should be.
pub(crate) fn pages(root: &Path) -> Done<Vec<Page>> {
    let names = folders(&root.join("adapters"));
    let arm =
        |indent: &str, name: &str, text: String| format!("{indent}#[cfg(feature = \"{name}\")]\n{indent}{text}\n");
    let arms = |line: &dyn Fn(&str) -> String| -> String {
        names.iter().map(|name| arm("        ", name, line(name))).collect()
    };
    let dependencies: String =
        names.iter().map(|name| format!("hapax-{name} = {{ workspace = true, optional = true }}\n")).collect();
    let manifest = [("dependencies", dependencies), ("features", features(&names))];
    let list = [("integrations", arms(&|name| format!("hapax_{name}::integration(),")))];
    let stand_ins = [
        ("names", arms(&|name| format!("\"{name}\","))),
        ("credentials", arms(&|name| format!("\"{name}\" => hapax_{name}::standin::CREDENTIALS,"))),
        (
            "servers",
            arms(&|name| format!("\"{name}\" => Some(hapax_{name}::standin::StandIn::new(world).serve(port).await),")),
        ),
    ];
    Ok(vec![
        filled(root, "catalog/Cargo.toml", "#", &manifest)?,
        filled(root, "catalog/src/lib.rs", "//", &list)?,
        filled(root, "catalog/src/stand_in.rs", "//", &stand_ins)?,
    ])
}

/// A feature for each adapter, all on by default, and their stand-ins.
fn features(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let each: String = names.iter().map(|name| format!("{name} = [\"dep:hapax-{name}\"]\n")).collect();
    let stand_ins: String = names.iter().map(|name| format!(", \"hapax-{name}?/standin\"")).collect();
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
        let text = features(&["a".to_owned(), "b".to_owned()]);
        assert!(text.starts_with("default = [\"a\", \"b\"]\na = [\"dep:hapax-a\"]\n"), "{text}");
        assert!(
            text.ends_with("standin = [\"dep:hapax-standin\", \"hapax-a?/standin\", \"hapax-b?/standin\"]\n"),
            "{text}"
        );
    }
}
