//! Where the keys of a sealed ledger are found. Nothing of them is read before the ledger is opened.

use std::path::{Path, PathBuf};

use hapax_ledger_sealed::Keys;
use secrecy::SecretString;
use toml::Spanned;

use super::connection::{Source, is_variable, no_variable};
use super::credentials::variable;
use super::problem::Place;
use crate::exit::Failure;

/// `key_env` and `key_file` under `[ledger]`, as they are written.
pub(super) fn read(
    place: &Place<'_>,
    env: Option<Spanned<String>>,
    file: Option<Spanned<PathBuf>>,
    folder: &Path,
) -> Result<Option<Source>, Failure> {
    match (env, file) {
        (None, None) => Ok(None),
        (Some(name), None) if is_variable(name.get_ref()) && !is_key(name.get_ref()) => {
            Ok(Some(Source::Variable(name.into_inner())))
        }
        (Some(name), None) => Err(place.problem(&name.span(), &no_variable("key_env"))),
        (None, Some(path)) if path.get_ref().to_str().is_some_and(is_key) => {
            let why = "key_file holds the key itself; put the key into a file of mode 0600 and name the file here";
            Err(place.problem(&path.span(), why))
        }
        (None, Some(path)) => Ok(Some(Source::File(folder.join(path.into_inner())))),
        (Some(_), Some(path)) => Err(place.problem(&path.span(), "only one of key_env and key_file can be said")),
    }
}

fn is_key(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What a file says that only its owner may read.
fn read_file(path: &Path) -> Result<String, String> {
    let unreadable = |error| format!("the file that key_file names can't be read ({error})");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_err(unreadable)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(format!("others can read {} (mode {mode:03o}); run `chmod 600` on it", path.display()));
        }
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

/// Reads them.
pub(super) fn keys(source: &Source) -> Result<Keys, Failure> {
    let bad = |why: String| {
        let todo = "it holds 64 hexadecimal digits a line, the newest key first; `hapax ledger new-key` makes one";
        Failure::input("bad-ledger-key", format!("nothing was sent: the ledger's key can't be read: {why}; {todo}"))
    };
    let text: SecretString = match source {
        Source::Variable(name) => variable(name).ok_or_else(|| bad(format!("{name} isn't set in the environment")))?,
        Source::File(path) => read_file(path).map_err(bad)?,
    }
    .into();
    Keys::parse(&text).map_err(|error| {
        let shown = match source {
            Source::Variable(name) => name.clone(),
            Source::File(path) => path.display().to_string(),
        };
        bad(format!("{shown}: {error}"))
    })
}
