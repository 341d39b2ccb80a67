//! `hapax ledger new-key`: a fresh key to seal a ledger with.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use hapax_ledger_sealed::Keys;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use tempfile::NamedTempFile;

use crate::exit::{Exit, Failure};
use crate::open::Context;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file that the key is written to, for its owner alone
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file holds keys already: the fresh one is put before them, so that it seals and they still open
    #[arg(long)]
    rotate: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let old = if args.rotate { old_keys(&args.file)? } else { SecretString::default() };
    let fresh = Keys::generate();
    let text: SecretString = format!("{}\n{}", fresh.expose_secret(), old.expose_secret()).into();
    let keys = Keys::parse(&text).map_err(|error| of_file(&args.file, &error.to_string()))?;
    write(&args.file, &text, args.rotate)?;
    let ids = keys.ids();
    let output = &context.output;
    output.line(format!("made: a key in {} (mode 0600)", args.file.display()));
    output.pair("key", ids[0]);
    if args.rotate {
        output.pair("keeps", format!("{} older key(s), which open what they sealed", ids.len() - 1));
        output.pair("next", "restart what uses the ledger; `hapax ledger verify` counts what an old key is needed for");
    } else {
        output.pair("next", "name it under [ledger] as key_file, before the first use of the ledger");
    }
    output.pair("careful", "without it nothing in the ledger can be read: keep a copy, away from the ledger's backups");
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    output.answer(Exit::Succeeded, &json!({ "file": args.file, "key": ids[0], "keys": ids }));
    Ok(Exit::Succeeded)
}

fn old_keys(file: &Path) -> Result<SecretString, Failure> {
    let text: SecretString = std::fs::read_to_string(file).map_err(|error| of_file(file, &error.to_string()))?.into();
    Keys::parse(&text).map_err(|error| of_file(file, &error.to_string()))?;
    Ok(text)
}

fn of_file(file: &Path, why: &str) -> Failure {
    let message = format!("nothing was changed: the keys in {} can't be used ({why})", file.display());
    Failure::input("bad-ledger-key", message)
}

/// Whole or not at all, whatever happens meanwhile.
fn write(file: &Path, text: &SecretString, over: bool) -> Result<(), Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || {
        let mut fresh = NamedTempFile::new_in(folder)?;
        fresh.write_all(text.expose_secret().as_bytes())?;
        fresh.as_file().sync_all()?;
        if over { fresh.persist(file) } else { fresh.persist_noclobber(file) }?;
        #[cfg(unix)]
        std::fs::File::open(folder)?.sync_all()?;
        Ok(())
    };
    write().map_err(|error: std::io::Error| match error.kind() {
        ErrorKind::AlreadyExists => {
            let why = "exists already; name another file, or say --rotate to put a fresh key before those in it";
            Failure::input("exists", format!("nothing was changed: {} {why}", file.display()))
        }
        _ => Failure::input(
            "cannot-write",
            format!("nothing was changed: {} can't be written ({error})", file.display()),
        ),
    })
}
