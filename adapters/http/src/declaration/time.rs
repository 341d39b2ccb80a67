use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

/// A length of time, as people write it: `30 s`, `5 min`, `24 h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub Duration);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let read = humantime::parse_duration(&text);
        read.map(Self).map_err(|_| de::Error::custom(format!("`{text}` is no time such as `30 s`")))
    }
}
