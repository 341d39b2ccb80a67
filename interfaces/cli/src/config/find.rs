use std::path::{Path, PathBuf};

use super::{Config, FILE};
use crate::exit::Failure;

/// The configuration: at `--config` or `HAPAX_CONFIG` (which clap hands over as one), or here.
pub(crate) fn find(named: Option<&Path>) -> Result<Config, Failure> {
    Config::read(named.unwrap_or(Path::new(FILE)))
}

/// The same for commands that also work without one.
pub(crate) fn find_optional(named: Option<&Path>) -> Result<Config, Failure> {
    let here = PathBuf::from(FILE);
    match named {
        Some(file) => Config::read(file),
        None if here.exists() => Config::read(&here),
        None => Ok(Config { scale: 1, ..Config::default() }),
    }
}
