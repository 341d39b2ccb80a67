use std::borrow::Cow;
use std::fmt;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Version of the way fingerprints are taken; stored with each.
pub const FINGERPRINT_VERSION: u8 = 1;

/// SHA-256 of the canonical JSON (RFC 8785) of an intent's arguments, volatile fields left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Fingerprint {
    /// How it was taken.
    pub version: u8,
    /// The digest.
    pub digest: [u8; 32],
}

/// Takes the fingerprint of checked arguments. `volatile` names top-level fields that may differ
/// between calls of the same intent.
pub fn fingerprint(args: &Value, volatile: &[&str]) -> Fingerprint {
    let mut stable = Cow::Borrowed(args);
    for name in volatile.iter().filter(|name| args.get(**name).is_some()) {
        if let Value::Object(fields) = stable.to_mut() {
            fields.remove(*name);
        }
    }
    // Canonicalisation can only fail on numbers that JSON can't hold, which a `Value` can't hold either.
    let canonical = serde_json_canonicalizer::to_vec(&*stable).unwrap_or_else(|_| stable.to_string().into_bytes());
    Fingerprint { version: FINGERPRINT_VERSION, digest: Sha256::digest(&canonical).into() }
}

/// Names of the top-level fields that differ. The values are not told: they may be personal.
pub fn differing_fields(ours: &Value, theirs: &Value, volatile: &[&str]) -> Vec<String> {
    let (Value::Object(ours), Value::Object(theirs)) = (ours, theirs) else { return vec!["(the whole)".to_owned()] };
    let mut names: Vec<String> = ours
        .keys()
        .chain(theirs.keys())
        .filter(|name| !volatile.contains(&name.as_str()) && ours.get(*name) != theirs.get(*name))
        .cloned()
        .collect();
    names.sort();
    names.dedup();
    names
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}:{}", self.version, HEXLOWER.encode_display(&self.digest))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Fingerprint> for String {
    fn from(print: Fingerprint) -> Self {
        print.to_string()
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bad = || format!("{text:?} is no fingerprint (v1:<64 hexadecimal digits>)");
        let (version, hex) = text.strip_prefix('v').and_then(|rest| rest.split_once(':')).ok_or_else(bad)?;
        let digest = HEXLOWER.decode(hex.as_bytes()).map_err(|_| bad())?;
        let print =
            Self { version: version.parse().map_err(|_| bad())?, digest: digest.try_into().map_err(|_| bad())? };
        // One written form: a number may have a sign or zeros before it.
        if print.to_string() == text { Ok(print) } else { Err(bad()) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn order_and_volatile_fields_do_not_matter() {
        let a = json!({"amount": 100, "currency": "EUR", "at": 1});
        let b = json!({"currency": "EUR", "at": 2, "amount": 100});
        assert_eq!(fingerprint(&a, &["at"]), fingerprint(&b, &["at"]));
        assert_ne!(fingerprint(&a, &[]), fingerprint(&b, &[]));
        assert_eq!(differing_fields(&a, &b, &[]), ["at"]);
    }

    #[test]
    fn it_survives_being_written() {
        let print = fingerprint(&json!({"a": 1}), &[]);
        assert_eq!(Fingerprint::try_from(print.to_string()), Ok(print));
        let text = print.to_string();
        let huge = text.replacen("v1", "v300", 1);
        let padded = text.replacen("v1", "v01", 1);
        let signed = text.replacen("v1", "v+1", 1);
        let plus = format!("v1:{}", "+f".repeat(32));
        for bad in ["v1:zz", "v1:", &format!("{text}00"), &text.to_uppercase(), &huge, &padded, &signed, &plus] {
            assert!(Fingerprint::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
