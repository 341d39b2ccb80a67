//! Words that many rows share are stored once and referred to by number.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use crate::codec::Identity;
use crate::error::Failure;

/// Numbers that the writer knows by heart. Rows behind them are never changed or deleted, so what was
/// committed stays true; what was rolled back must be forgotten.
#[derive(Default)]
pub(crate) struct Names {
    places: HashMap<(String, String, String), Place>,
    /// A text that was seen once has no number yet: only what comes again is worth a row.
    texts: HashMap<String, Option<i64>>,
}

/// Where an operation belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) number: i64,
    pub(crate) account: i64,
}

/// Bounds the memory, should some word of a text differ every time.
const TEXTS_MAX: usize = 1024;

impl Names {
    /// Forgets everything: something was rolled back.
    pub(crate) fn forget(&mut self) {
        self.places.clear();
        self.texts.clear();
    }

    /// The place of an operation, made if it's new.
    pub(crate) fn place(&mut self, on: &Connection, identity: &Identity) -> Result<Place, Failure> {
        let names = (identity.connection.clone(), identity.account.clone(), identity.cell.clone());
        if let Some(place) = self.places.get(&names) {
            return Ok(*place);
        }
        let account = account(on, &identity.account)?;
        on.prepare_cached("INSERT OR IGNORE INTO places (connection, account, cell) VALUES (?1, ?2, ?3)")?
            .execute(params![names.0, account, names.2])?;
        let number = on
            .prepare_cached("SELECT number FROM places WHERE connection = ?1 AND account = ?2 AND cell = ?3")?
            .query_row(params![names.0, account, names.2], |row| row.get(0))?;
        let place = Place { number, account };
        self.places.insert(names, place);
        Ok(place)
    }

    /// The number of a text if it's shared; none: it stays in the row.
    pub(crate) fn text(&mut self, on: &Connection, text: &str) -> Result<Option<i64>, Failure> {
        match self.texts.get(text) {
            Some(Some(number)) => return Ok(Some(*number)),
            Some(None) => {
                on.prepare_cached("INSERT OR IGNORE INTO texts (text) VALUES (?1)")?.execute([text])?;
            }
            None => {}
        }
        let number: Option<i64> = on
            .prepare_cached("SELECT number FROM texts WHERE text = ?1")?
            .query_row([text], |row| row.get(0))
            .optional()?;
        if self.texts.len() >= TEXTS_MAX {
            self.texts.clear();
        }
        self.texts.insert(text.to_owned(), number);
        Ok(number)
    }
}

fn account(on: &Connection, account: &str) -> Result<i64, Failure> {
    on.prepare_cached("INSERT OR IGNORE INTO accounts (account) VALUES (?1)")?.execute([account])?;
    Ok(on.prepare_cached("SELECT number FROM accounts WHERE account = ?1")?.query_row([account], |row| row.get(0))?)
}
