use std::fmt;
use std::sync::Arc;

use data_encoding::HEXLOWER_PERMISSIVE;
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::{SecureRandom, SystemRandom};
use secrecy::{ExposeSecret, SecretBox, SecretString};

/// Bytes of a key.
const LENGTH: usize = 32;

/// Says for what a key is used, so that the same bytes used elsewhere give other keys.
const PURPOSE: &[u8] = b"hapax ledger sealed 1";

/// The keys of a sealed ledger. The first one seals, and all of them open, so that a ledger goes on when its key is
/// replaced.
#[derive(Clone)]
pub struct Keys(Arc<Vec<Key>>);

/// By what a key is recognised: four bytes derived from it, which tell nothing about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; 4]);

/// Why keys can't be used. In each case nothing was written, and the text repeats nothing of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// There is none.
    #[error("there is no key in it")]
    None,
    /// One isn't 64 hexadecimal digits.
    #[error("key {0} of it isn't 64 hexadecimal digits")]
    Form(usize),
    /// One stands there twice.
    #[error("key {0} of it stands there before")]
    Twice(usize),
}

struct Key {
    id: KeyId,
    secret: SecretBox<[u8; LENGTH]>,
}

impl Keys {
    /// A fresh key from the operating system's randomness, as text: 64 hexadecimal digits.
    ///
    /// # Panics
    /// If the system has no randomness to give: nothing safe can be made then.
    pub fn generate() -> SecretString {
        let mut bytes = SecretBox::new(Box::new([0; LENGTH]));
        let filled = SystemRandom::new().fill(secrecy::ExposeSecretMut::expose_secret_mut(&mut bytes));
        assert!(filled.is_ok(), "the operating system gives no random bytes");
        data_encoding::HEXLOWER.encode(bytes.expose_secret()).into()
    }

    /// Reads keys, each 64 hexadecimal digits, the one that seals first, with white space between them.
    ///
    /// # Errors
    /// [`KeysError`] says which one is wrong.
    pub fn parse(text: &SecretString) -> Result<Self, KeysError> {
        let mut keys: Vec<Key> = Vec::new();
        for (place, word) in text.expose_secret().split_whitespace().enumerate() {
            let mut secret = SecretBox::new(Box::new([0; LENGTH]));
            let bytes: &mut [u8; LENGTH] = secrecy::ExposeSecretMut::expose_secret_mut(&mut secret);
            let fits = word.len() == 2 * LENGTH
                && HEXLOWER_PERMISSIVE.decode_mut(word.as_bytes(), bytes.as_mut_slice()).is_ok();
            if !fits {
                return Err(KeysError::Form(place + 1));
            }
            let id = id_of(bytes);
            if keys.iter().any(|key| key.id == id) {
                return Err(KeysError::Twice(place + 1));
            }
            keys.push(Key { id, secret });
        }
        if keys.is_empty() { Err(KeysError::None) } else { Ok(Self(Arc::new(keys))) }
    }

    /// Which they are, the one that seals first.
    pub fn ids(&self) -> Vec<KeyId> {
        self.0.iter().map(|key| key.id).collect()
    }

    /// Which key seals.
    pub(crate) fn newest(&self) -> KeyId {
        self.0[0].id
    }

    /// What other keys are derived from, by the id of the key.
    pub(crate) fn find(&self, id: KeyId) -> Option<Prk> {
        self.0.iter().find(|key| key.id == id).map(|key| prk(key.secret.expose_secret()))
    }
}

fn prk(secret: &[u8]) -> Prk {
    Salt::new(HKDF_SHA256, PURPOSE).extract(secret)
}

fn id_of(secret: &[u8]) -> KeyId {
    let mut id = [0; 4];
    derive(&prk(secret), &[b"id"], &mut id);
    KeyId(id)
}

/// Fills with what is derived from a key for this.
fn derive(from: &Prk, info: &[&[u8]], to: &mut [u8]) {
    struct Length(usize);
    impl KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }
    let filled = from.expand(info, Length(to.len())).and_then(|okm| okm.fill(to));
    assert!(filled.is_ok(), "so few bytes can always be derived");
}

impl KeyId {
    /// Reads what [`Display`](fmt::Display) writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut id = [0; 4];
        let fits = text.len() == 8 && data_encoding::HEXLOWER.decode_mut(text.as_bytes(), &mut id).is_ok();
        fits.then_some(Self(id))
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data_encoding::HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keys").field(&self.ids()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Keys, KeysError> {
        Keys::parse(&text.to_owned().into())
    }

    #[test]
    fn the_first_key_seals_and_all_are_found() {
        let (one, two) = ("ab".repeat(32), "cd".repeat(32));
        let keys = parse(&format!("{one}\n{two}\n")).expect("two keys");
        let [first, second] = keys.ids()[..] else { panic!("{keys:?}") };
        assert_eq!(keys.newest(), first);
        assert!(keys.find(second).is_some() && first != second);
        assert_eq!(parse(&one.to_uppercase()).expect("a key").ids(), [first], "digits have no case");
        assert_eq!(KeyId::parse(&first.to_string()), Some(first));
    }

    #[test]
    fn what_is_wrong_is_told_without_the_key() {
        let one = "ab".repeat(32);
        for (text, error) in [
            (String::new(), KeysError::None),
            ("ab".repeat(31), KeysError::Form(1)),
            (format!("{one} {}", "xy".repeat(32)), KeysError::Form(2)),
            (format!("{one} {one}"), KeysError::Twice(2)),
        ] {
            let said = parse(&text).expect_err("no keys");
            assert_eq!(said, error);
            assert!(!said.to_string().contains("abab"), "{said}");
        }
    }

    #[test]
    fn keys_differ_and_show_nothing() {
        let (one, other) = (Keys::generate(), Keys::generate());
        assert_ne!(one.expose_secret(), other.expose_secret());
        let shown = format!("{:?}", Keys::parse(&one).expect("a key"));
        assert!(!shown.contains(&one.expose_secret()[..16]) && !one.expose_secret().contains(&shown[6..14]), "{shown}");
    }
}
