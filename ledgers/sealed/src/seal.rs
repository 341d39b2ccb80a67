//! One sealed text: `sealed:KEY:BASE64`, the key's id, and a nonce with what ChaCha20-Poly1305 makes of the text.
//!
//! Each operation has a key of its own, derived from the ledger's, so that random nonces of 96 bits never come near to
//! meeting. Bound to a text are the operation, the place in its journal and the name there: one that was moved to another
//! place doesn't open.

use data_encoding::BASE64URL_NOPAD;
use hapax_core::ledger::OperationId;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::Prk;
use ring::rand::{SecureRandom, SystemRandom};

use crate::keys::{KeyId, Keys};

const BEGINS: &str = "sealed:";

/// Where something stands; it opens nowhere else.
pub(crate) struct Place {
    /// Revision that its record made.
    pub(crate) revision: u64,
    /// Its name there.
    pub(crate) name: &'static str,
    /// Whether it is a value of JSON.
    pub(crate) is_value: bool,
}

impl Place {
    fn aad(&self) -> Aad<Vec<u8>> {
        let mut bytes = self.revision.to_be_bytes().to_vec();
        bytes.push(u8::from(self.is_value));
        bytes.extend(self.name.as_bytes());
        Aad::from(bytes)
    }
}

/// Seals and opens what one operation holds.
pub(crate) struct Sealer<'a> {
    keys: &'a Keys,
    operation: OperationId,
    /// The last key used: an operation seldom has been sealed with two.
    last: Option<(KeyId, LessSafeKey)>,
}

/// Why a text doesn't open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shut {
    /// It isn't sealed.
    Plain,
    /// It was sealed with a key that isn't among ours.
    Key(KeyId),
    /// It was changed, or comes from another place.
    Changed,
}

impl<'a> Sealer<'a> {
    pub(crate) fn new(keys: &'a Keys, operation: OperationId) -> Self {
        Self { keys, operation, last: None }
    }

    /// Seals with the newest key. None: the system gives no randomness.
    pub(crate) fn seal(&mut self, place: &Place, plain: &[u8]) -> Option<String> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let id = self.keys.newest();
        let mut text = plain.to_vec();
        let nonce_of_it = Nonce::assume_unique_for_key(nonce);
        self.key(id)?.seal_in_place_append_tag(nonce_of_it, place.aad(), &mut text).ok()?;
        let sealed = [nonce.as_slice(), &text].concat();
        Some(format!("{BEGINS}{id}:{}", BASE64URL_NOPAD.encode(&sealed)))
    }

    /// Opens, and says with which key it was sealed.
    pub(crate) fn open(&mut self, place: &Place, text: &str) -> Result<(KeyId, Vec<u8>), Shut> {
        let (id, sealed) = text.strip_prefix(BEGINS).and_then(|rest| rest.split_once(':')).ok_or(Shut::Plain)?;
        let id = KeyId::parse(id).ok_or(Shut::Plain)?;
        let mut sealed = BASE64URL_NOPAD.decode(sealed.as_bytes()).map_err(|_| Shut::Changed)?;
        let (nonce, text) = sealed.split_at_mut_checked(NONCE_LEN).ok_or(Shut::Changed)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Shut::Changed)?;
        let plain =
            self.key(id).ok_or(Shut::Key(id))?.open_in_place(nonce, place.aad(), text).map_err(|_| Shut::Changed)?;
        Ok((id, plain.to_vec()))
    }

    /// The operation's own key, derived from the one with this id; none: that isn't among ours.
    fn key(&mut self, id: KeyId) -> Option<&LessSafeKey> {
        if self.last.as_ref().is_none_or(|(last, _)| *last != id) {
            self.last = Some((id, own(&self.keys.find(id)?, self.operation)));
        }
        self.last.as_ref().map(|(_, key)| key)
    }
}

fn own(prk: &Prk, operation: OperationId) -> LessSafeKey {
    let info = [b"operation".as_slice(), operation.0.as_bytes()];
    match prk.expand(&info, &CHACHA20_POLY1305) {
        Ok(okm) => LessSafeKey::new(UnboundKey::from(okm)),
        Err(_) => unreachable!("a key is short enough to be derived"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(texts: &[String]) -> Keys {
        Keys::parse(&texts.join(" ").into()).expect("keys")
    }

    fn place(revision: u64, name: &'static str) -> Place {
        Place { revision, name, is_value: false }
    }

    #[test]
    fn what_is_sealed_opens_where_it_was_sealed_and_nowhere_else() {
        let (old, new) = ("ab".repeat(32), "cd".repeat(32));
        let (before, after) = (keys(std::slice::from_ref(&old)), keys(&[new.clone(), old]));
        let operation = OperationId::fresh();
        let sealed = Sealer::new(&before, operation).seal(&place(1, "args"), b"ada").expect("randomness");
        assert!(!sealed.contains("ada"));
        let open = |keys: &Keys, operation, place: &Place, text: &str| Sealer::new(keys, operation).open(place, text);
        assert_eq!(open(&before, operation, &place(1, "args"), &sealed), Ok((before.ids()[0], b"ada".to_vec())));
        assert_eq!(open(&after, operation, &place(1, "args"), &sealed), Ok((before.ids()[0], b"ada".to_vec())));
        assert_eq!(open(&keys(&[new]), operation, &place(1, "args"), &sealed), Err(Shut::Key(before.ids()[0])));
        let value = Place { is_value: true, ..place(1, "args") };
        for (operation, place) in [
            (OperationId::fresh(), place(1, "args")),
            (operation, place(2, "args")),
            (operation, place(1, "receipt")),
            (operation, value),
        ] {
            assert_eq!(open(&before, operation, &place, &sealed), Err(Shut::Changed));
        }
        assert_eq!(open(&before, operation, &place(1, "args"), "ada"), Err(Shut::Plain));
    }

    #[test]
    fn no_letter_can_be_changed_or_cut() {
        let keys = keys(&["ab".repeat(32)]);
        let mut sealer = Sealer::new(&keys, OperationId::fresh());
        let sealed = sealer.seal(&place(1, "args"), b"ada lovelace").expect("randomness");
        for at in 0..sealed.len() {
            let mut other = sealed.clone().into_bytes();
            other[at] = if other[at] == b'A' { b'B' } else { b'A' };
            let other = String::from_utf8(other).expect("letters");
            assert!(sealer.open(&place(1, "args"), &other).is_err(), "{other}");
            assert!(sealer.open(&place(1, "args"), &sealed[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn the_same_is_never_sealed_to_the_same() {
        let keys = keys(&["ab".repeat(32)]);
        let mut sealer = Sealer::new(&keys, OperationId::fresh());
        let mut seal = || sealer.seal(&place(1, "args"), b"ada").expect("randomness");
        assert_ne!(seal(), seal());
    }
}
