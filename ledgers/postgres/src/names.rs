//! Words that many rows share are stored once and referred to by number.

use std::collections::HashMap;

use tokio_postgres::types::Type;

use crate::codec::Identity;
use crate::error::Failure;
use crate::link::Link;

/// Numbers that a writer knows by heart. Their rows are written in transactions of their own, before they are used, and
/// are never changed or deleted: what is known here stays true.
#[derive(Default)]
pub(crate) struct Names {
    places: HashMap<(String, String, String), i32>,
    /// A text that was seen once has no number yet: only what comes again is worth a row.
    texts: HashMap<String, Option<i32>>,
    loaded: bool,
}

/// Bounds the memory, should some word of a text differ every time.
const TEXTS_MAX: usize = 1024;

/// A longer text is kept in its row: the unique index takes no more than about 2,700 bytes.
const TEXT_BYTES_MAX: usize = 1000;

impl Names {
    /// Reads what others have named already.
    pub(crate) async fn load(&mut self, link: &Link) -> Result<(), Failure> {
        if self.loaded {
            return Ok(());
        }
        let newest = [(&(TEXTS_MAX as i64 / 2) as _, Type::INT8)];
        for row in link.query("SELECT text, number FROM hapax.texts ORDER BY number DESC LIMIT $1", &newest).await? {
            self.texts.insert(row.try_get(0)?, Some(row.try_get(1)?));
        }
        for row in link.query("SELECT connection, account, cell, number FROM hapax.places", &[]).await? {
            self.places.insert((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?), row.try_get(3)?);
        }
        self.loaded = true;
        Ok(())
    }

    /// The place of an operation, made if it's new.
    pub(crate) async fn place(&mut self, link: &Link, identity: &Identity) -> Result<i32, Failure> {
        let Identity { connection, account, cell, .. } = identity;
        let names = (connection.clone(), account.clone(), cell.clone());
        if let Some(number) = self.places.get(&names) {
            return Ok(*number);
        }
        let with = [(connection as _, Type::TEXT), (account as _, Type::TEXT), (cell as _, Type::TEXT)];
        link.query(
            "INSERT INTO hapax.places (connection, account, cell) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            &with,
        )
        .await?;
        let row = link
            .one("SELECT number FROM hapax.places WHERE connection = $1 AND account = $2 AND cell = $3", &with)
            .await?;
        let number = row.try_get(0)?;
        self.places.insert(names, number);
        Ok(number)
    }

    /// The number of a text if it's shared; none: it stays in the row.
    pub(crate) async fn text(&mut self, link: &Link, text: &str) -> Result<Option<i32>, Failure> {
        if text.len() > TEXT_BYTES_MAX {
            return Ok(None);
        }
        let number = match self.texts.get(text) {
            Some(Some(number)) => return Ok(Some(*number)),
            Some(None) => Some(share(link, text).await?),
            None => None,
        };
        if self.texts.len() >= TEXTS_MAX {
            self.texts.clear();
        }
        self.texts.insert(text.to_owned(), number);
        Ok(number)
    }
}

async fn share(link: &Link, text: &str) -> Result<i32, Failure> {
    let with = [(&text as _, Type::TEXT)];
    link.query("INSERT INTO hapax.texts (text) VALUES ($1) ON CONFLICT DO NOTHING", &with).await?;
    Ok(link.one("SELECT number FROM hapax.texts WHERE text = $1", &with).await?.try_get(0)?)
}
