//! `hapax init`: configuration, ledger and secret, none of which exists yet.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use hapax_core::identity::NamespaceSecret;
use hapax_ledger_sqlite::SqliteLedger;
use serde_json::json;

use crate::config::{Config, FILE, SAMPLE};
use crate::exit::{Exit, Failure};
use crate::open::Context;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where; made if it isn't there. With --config, beside that file
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let file = place(args, context)?;
    // The sample says where the other two go, so that the documentation and this command can't differ.
    let config = Config::sample(&file)?;
    let ledger =
        config.ledger.file().ok_or_else(|| Failure::internal("nothing was changed: the sample names no file"))?;
    let secret_file =
        config.secret_file.ok_or_else(|| Failure::internal("nothing was changed: the sample names no secret"))?;
    for path in [file.as_path(), ledger, &secret_file] {
        if path.exists() {
            let why = "exists already, and init overwrites nothing; use it as it is, or choose another folder";
            return Err(Failure::input("exists", format!("nothing was changed: {} {why}", path.display())));
        }
    }
    make_folder(&file)?;
    write_new(&secret_file, NamespaceSecret::generate().expose())?;
    drop(SqliteLedger::create(ledger)?);
    write_new(&file, SAMPLE)?;
    let output = &context.output;
    output.line("made, and nothing was overwritten:");
    output.pair("config", file.display());
    output.pair("ledger", ledger.display());
    output.pair("secret", format!("{} (mode 0600; keep it out of version control)", secret_file.display()));
    output.pair("next", "hapax stand-in serve stripe --port 4242    in another terminal, then: hapax doctor");
    let made = json!({ "config": file, "ledger": ledger, "secret_file": secret_file });
    output.answer(Exit::Succeeded, &made);
    Ok(Exit::Succeeded)
}

fn place(args: &Args, context: &Context) -> Result<PathBuf, Failure> {
    match (&args.folder, &context.config) {
        (Some(folder), None) => Ok(folder.join(FILE)),
        (None, Some(file)) => Ok(file.clone()),
        (None, None) => Ok(PathBuf::from(FILE)),
        (Some(_), Some(_)) => {
            Err(Failure::input("usage", "nothing was changed: give FOLDER or --config (HAPAX_CONFIG), not both"))
        }
    }
}

fn make_folder(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), std::fs::create_dir_all).map_err(|error| {
        let shown = folder.unwrap_or(file).display();
        Failure::input("cannot-write", format!("nothing was changed: the folder {shown} can't be made ({error})"))
    })
}

/// Writes a file that doesn't exist, for its owner alone.
pub(super) fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let write = || {
        let mut file = options.open(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|error: std::io::Error| {
        let message = format!("nothing was overwritten: {} can't be written ({error})", path.display());
        Failure::input("cannot-write", message)
    })
}
