//! How a fuzzer's bytes change valid input: arbitrary bytes alone would hardly get past the first character of a parser.

use serde_json::Value;

/// Executions of a target in the ordinary test command; `BOLERO_RANDOM_ITERATIONS` says otherwise.
pub(crate) const EXECUTIONS: usize = 20_000;

/// Longest input of a target.
pub(crate) const LONGEST: usize = 192;

/// What parsers are known to stumble over.
const ODD: [&str; 18] = [
    "null",
    "{}",
    "[]",
    "\"\"",
    "true",
    "-1",
    "0",
    "1e999",
    "18446744073709551616",
    "9223372036854775808",
    "\\u0000",
    "\u{feff}",
    "\"",
    "}",
    "]",
    ",",
    "\n",
    "+f",
];

/// Choices, read from a fuzzer's bytes; zeros when they are used up.
pub(crate) struct Tape<'a>(&'a [u8]);

impl<'a> Tape<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// A number below `end`; 0 if there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let wide = usize::from(self.byte()) << 8 | usize::from(self.byte());
        wide.checked_rem(end).unwrap_or(0)
    }

    pub(crate) fn pick<'p, T>(&mut self, from: &'p [T]) -> &'p T {
        &from[self.below(from.len())]
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

/// Valid input, changed: its JSON in one place, its bytes in a few, or replaced by what is left of the tape.
pub(crate) fn changed(valid: &[u8], tape: &mut Tape<'_>) -> Vec<u8> {
    match tape.below(8) {
        0 => tape.rest().to_vec(),
        1..=4 => match serde_json::from_slice::<Value>(valid) {
            Ok(mut value) => {
                change_value(&mut value, tape);
                value.to_string().into_bytes()
            }
            Err(_) => change_bytes(valid, tape),
        },
        _ => change_bytes(valid, tape),
    }
}

/// The same for texts.
pub(crate) fn changed_text(valid: &str, tape: &mut Tape<'_>) -> String {
    String::from_utf8_lossy(&changed(valid.as_bytes(), tape)).into_owned()
}

fn change_bytes(valid: &[u8], tape: &mut Tape<'_>) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    for _ in 0..=tape.below(3) {
        let at = tape.below(bytes.len() + 1);
        let end = bytes.len().min(at + tape.below(24));
        match tape.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let again = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, again));
            }
            3 => drop(bytes.splice(at..end, tape.pick(&ODD).bytes())),
            4 => bytes.insert(at, tape.byte()),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << tape.below(8);
                }
            }
        }
    }
    bytes
}

/// Goes down into a value as the tape says, and changes what is there.
fn change_value(value: &mut Value, tape: &mut Tape<'_>) {
    let stops = tape.below(4) == 0;
    match value {
        Value::Object(fields) if !fields.is_empty() && !stops => {
            let name = fields.keys().nth(tape.below(fields.len())).cloned().unwrap_or_default();
            if tape.below(6) == 0 {
                fields.remove(&name);
            } else if let Some(field) = fields.get_mut(&name) {
                change_value(field, tape);
            }
        }
        Value::Array(items) if !items.is_empty() && !stops => {
            let at = tape.below(items.len());
            match tape.below(6) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => change_value(&mut items[at], tape),
            }
        }
        Value::String(text) if !stops => {
            let changed = change_bytes(text.as_bytes(), tape);
            *text = String::from_utf8_lossy(&changed).into_owned();
        }
        other => {
            let odd = tape.pick(&ODD);
            *other = serde_json::from_str(odd).unwrap_or_else(|_| Value::String((*odd).to_owned()));
        }
    }
}
