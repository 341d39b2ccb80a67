//! What `plan` and `run` have in common: an intent on the command line.

use std::io::Read;

use hapax_core::cell::SharedCell;
use hapax_core::clock::SharedClock;
use hapax_core::executor::RunRequest;
use hapax_core::identity::OperationKey;
use serde_json::Value;

use super::carry::Grace;
use super::wait_ms;
use crate::config::Config;
use crate::exit::Failure;
use crate::known::Known;
use crate::suggest::did_you_mean;
use crate::time;

/// An intent.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// What to do, such as stripe.charge; `hapax matrix` lists cells
    pub(crate) cell: String,
    /// Your stable name for the intent, from business identity: order:1042:charge
    #[arg(long)]
    pub(crate) key: String,
    /// Its arguments as JSON, @FILE, or - for stdin; `hapax explain CELL` shows the schema
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) args: String,
    /// On which connection; may be left out if there is only one for this cell
    #[arg(long)]
    pub(crate) connection: Option<String>,
    /// After this moment nothing is sent: RFC 3339, or +30m from now
    #[arg(long, value_name = "TIME")]
    pub(crate) good_until: Option<String>,
    /// How long to wait for the outcome; what is journaled goes on later
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) grace: Grace,
}

impl Args {
    /// Reads everything that can be read without a ledger.
    pub(crate) fn read(&self, known: &Known) -> Result<(OperationKey, Value), Failure> {
        known_cell(known, &self.cell)?;
        Ok((OperationKey::new(&self.key)?, arguments(&self.args)?))
    }

    /// The request on the connection that is meant.
    pub(crate) fn request(
        &self,
        key: OperationKey,
        args: Value,
        config: &Config,
        clock: &SharedClock,
    ) -> Result<RunRequest, Failure> {
        let connection = match &self.connection {
            Some(name) => {
                known_connection(config, name)?;
                name.clone()
            }
            None => only_connection(config, &self.cell)?,
        };
        let mut request = RunRequest::new(&connection, &self.cell, key, args).wait_ms(wait_ms(self.wait));
        if let Some(until) = &self.good_until {
            request = request.good_until_ms(time::parse("--good-until", until, clock.now())?);
        }
        Ok(request)
    }
}

/// The cell of this id, whether or not a connection is configured for it.
pub(crate) fn known_cell(known: &Known, id: &str) -> Result<SharedCell, Failure> {
    if let Some(cell) = known.cell(id) {
        return Ok(cell);
    }
    let cells = known.cells();
    let near = did_you_mean(id, cells.iter().map(|cell| cell.spec().id));
    let message = format!("nothing was sent: there is no cell {id:?}; `hapax matrix` lists all cells{near}");
    Err(Failure::input("unknown-cell", message))
}

fn known_connection(config: &Config, name: &str) -> Result<(), Failure> {
    if config.connection(name).is_some() {
        return Ok(());
    }
    let names: Vec<&str> = config.connections.iter().map(|one| one.name.as_str()).collect();
    let near = did_you_mean(name, names.iter().copied());
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let file = config.file.display();
    let message = format!("nothing was sent: {file} has no connection {name:?}; it has: {known}{near}");
    Err(Failure::input("unknown-connection", message))
}

/// The one connection that this cell can be run on.
fn only_connection(config: &Config, cell: &str) -> Result<String, Failure> {
    let integration = cell.split('.').next().unwrap_or(cell);
    let fitting: Vec<&str> = config
        .connections
        .iter()
        .filter(|connection| connection.integration == integration)
        .map(|connection| connection.name.as_str())
        .collect();
    let file = config.file.display();
    match fitting.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(Failure::input(
            "unknown-connection",
            format!("nothing was sent: {file} has no connection to {integration}; add one under [connections.NAME]"),
        )),
        many => Err(Failure::input(
            "which-connection",
            format!("nothing was sent: say --connection, one of: {}", many.join(", ")),
        )),
    }
}

/// Reads the arguments of an intent. Errors say where it stops being JSON and never what stands there.
pub(crate) fn arguments(given: &str) -> Result<Value, Failure> {
    let unreadable = |what: &str, error: std::io::Error| {
        Failure::input("bad-arguments", format!("nothing was sent: {what} can't be read ({error})"))
    };
    let text = if given == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(|error| unreadable("stdin", error))?;
        text
    } else if let Some(file) = given.strip_prefix('@') {
        std::fs::read_to_string(file).map_err(|error| unreadable(&format!("the file {file} of --args"), error))?
    } else {
        given.to_owned()
    };
    serde_json::from_str(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let what = if error.is_eof() { "it ends too early" } else { "it is no JSON" };
        let message = format!("nothing was sent: --args, line {line} column {column}: {what}; quote it for your shell");
        Failure::input("bad-arguments", message)
    })
}
