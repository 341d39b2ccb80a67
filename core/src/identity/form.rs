/// The form in which a provider accepts a token or mark. All are made from a 256-bit digest, so
/// the same operation, epoch and step always give the same token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A UUID (version 8, from the digest): 36 characters.
    Uuid,
    /// Lower-case letters and digits (base 36), so many characters; 50 use the whole digest.
    Text(usize),
    /// Lower-case base32hex (`0-9a-v`), so many characters; 51 use the whole digest.
    Base32Hex(usize),
    /// A positive 63-bit integer in decimal.
    Integer,
}

const BASE36: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

impl Form {
    /// Writes the digest in this form.
    pub fn write(self, digest: &[u8; 32]) -> String {
        match self {
            Self::Uuid => {
                let mut half = [0; 16];
                half.copy_from_slice(&digest[..16]);
                uuid::Builder::from_custom_bytes(half).into_uuid().to_string()
            }
            Self::Text(length) => digits(digest, 36, length.min(50)),
            Self::Base32Hex(length) => digits(digest, 32, length.min(51)),
            Self::Integer => {
                let mut eight = [0; 8];
                eight.copy_from_slice(&digest[..8]);
                // The top bit is cleared: providers store it signed. Zero is never a valid token.
                (u64::from_be_bytes(eight) >> 1).max(1).to_string()
            }
        }
    }
}

/// The digest as a number in this base, least significant digit first, cut to `length` digits.
fn digits(digest: &[u8; 32], base: u32, length: usize) -> String {
    let mut number = *digest;
    let mut text = String::with_capacity(length);
    for _ in 0..length {
        let mut rest = 0u32;
        for byte in &mut number {
            let value = rest * 256 + u32::from(*byte);
            *byte = (value / base) as u8;
            rest = value % base;
        }
        text.push(char::from(BASE36[rest as usize]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_keeps_to_its_alphabet_and_length() {
        let digest = [0xa7; 32];
        assert_eq!(Form::Uuid.write(&digest).len(), 36);
        assert_eq!(Form::Text(25).write(&digest).len(), 25);
        assert!(Form::Text(32).write(&digest).chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()));
        assert!(Form::Base32Hex(32).write(&digest).chars().all(|c| matches!(c, '0'..='9' | 'a'..='v')));
        assert!(Form::Integer.write(&[0xff; 32]).parse::<i64>().is_ok());
        assert_ne!(Form::Text(32).write(&[1; 32]), Form::Text(32).write(&[2; 32]));
    }
}
