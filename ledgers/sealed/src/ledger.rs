use async_trait::async_trait;
use hapax_core::ledger::{Append, Appended, By, Filter, Header, Layer, Ledger, LedgerError, SharedLedger, Stored};
use hapax_core::protocol::Stamp;

use crate::keys::Keys;
use crate::mark::{mark, unmark};

/// How many of the newest operations are opened to see whether the keys are the right ones. Those that retention has been at
/// need none.
const TRIED: u32 = 16;

/// A ledger over another one, which never sees what is private.
pub struct SealedLedger {
    below: SharedLedger,
    keys: Keys,
}

impl SealedLedger {
    /// Opens a ledger that is sealed already, or that nobody has used yet.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if it was used without seals, or if what was written last doesn't open with these keys;
    /// otherwise those of the ledger below.
    pub async fn open(below: SharedLedger, keys: Keys) -> Result<Self, LedgerError> {
        let sealed = Self::new(below, keys);
        Layer::header(&sealed).await?;
        for operation in sealed.below.list(&Filter { limit: TRIED, ..Filter::default() }).await? {
            Layer::load(&sealed, By::Id(operation)).await?;
        }
        Ok(sealed)
    }

    /// The same without a look whether the keys are the right ones: what they don't open is told when it is read.
    pub fn new(below: SharedLedger, keys: Keys) -> Self {
        Self { below, keys }
    }

    fn opened(&self, stored: Option<Stored>) -> Result<Option<Stored>, LedgerError> {
        let Some(mut stored) = stored else { return Ok(None) };
        self.keys.open(stored.operation, &mut stored.records)?;
        Ok(Some(stored))
    }
}

#[async_trait]
impl Layer for SealedLedger {
    fn below(&self) -> &dyn Ledger {
        &*self.below
    }

    async fn append(&self, mut append: Append) -> Result<Appended, LedgerError> {
        self.keys.seal(append.operation, append.seen, &mut append.records)?;
        self.below.append(append).await
    }

    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError> {
        self.opened(self.below.load(by).await?)
    }

    async fn look_up(&self, by: By<'_>) -> Result<(Header, Option<Stored>), LedgerError> {
        let (header, stored) = self.below.look_up(by).await?;
        Ok((unsealed(header)?, self.opened(stored)?))
    }

    async fn header(&self) -> Result<Header, LedgerError> {
        unsealed(self.below.header().await?)
    }

    async fn adopt(&self, secret_check: &str) -> Result<String, LedgerError> {
        let noted = self.below.adopt(&mark(secret_check)).await?;
        unmark(&noted).map(str::to_owned).ok_or_else(not_sealed)
    }

    async fn note_restored(&self, at: Stamp, secret_check: &str) -> Result<(), LedgerError> {
        self.below.note_restored(at, &mark(secret_check)).await
    }
}

fn unsealed(header: Header) -> Result<Header, LedgerError> {
    let secret_check = unmark(&header.secret_check).ok_or_else(not_sealed)?.to_owned();
    Ok(Header { secret_check, ..header })
}

fn not_sealed() -> LedgerError {
    LedgerError::Unusable {
        what: "it was used without seals, and a key to seal it with is given".to_owned(),
        hint: "export it, and import that into a new ledger with the key; or go on without one".to_owned(),
    }
}
