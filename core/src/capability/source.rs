use serde::{Deserialize, Serialize};

/// Where a fact was read, when, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Address of the page or file.
    pub url: &'static str,
    /// Day on which somebody last read it there, as `YYYY-MM-DD`.
    pub checked: &'static str,
    /// What kind of text it is.
    pub sure: Sure,
}

impl Source {
    /// The provider's own documentation says so.
    pub const fn official(url: &'static str, checked: &'static str) -> Self {
        Self { url, checked, sure: Sure::Official }
    }

    /// A machine-readable description that the provider publishes says so.
    pub const fn spec(url: &'static str, checked: &'static str) -> Self {
        Self { url, checked, sure: Sure::Spec }
    }

    /// The source code of the provider's own SDK relies on it.
    pub const fn sdk(url: &'static str, checked: &'static str) -> Self {
        Self { url, checked, sure: Sure::Sdk }
    }

    /// Somebody saw it work; no document promises it.
    pub const fn practice(url: &'static str, checked: &'static str) -> Self {
        Self { url, checked, sure: Sure::Practice }
    }

    /// Nobody says so; we assume it and print that we do.
    pub const fn presumed(why: &'static str) -> Self {
        Self { url: why, checked: "", sure: Sure::Presumed }
    }
}

/// How sure a source is, weakest first. Rungs need at least [`Sure::Spec`]; weaker ones are belts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sure {
    /// Assumed, and printed as such.
    Presumed,
    /// Seen in practice.
    Practice,
    /// Read in the source of the provider's SDK.
    Sdk,
    /// Written in a published API description.
    Spec,
    /// Written in the provider's documentation.
    Official,
}

/// What must be true of a connection before a rung holds there. Probed per connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// A scope or permission of the credentials.
    Permission(&'static str),
    /// A setting of the account.
    Setting(&'static str),
    /// Something that the receiver of the effect must do.
    Receiver(&'static str),
    /// A property of the server's software.
    Software(&'static str),
}

impl Need {
    /// The need in words, as printed in the matrix and named in `hapax.toml`.
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Permission(words) | Self::Setting(words) | Self::Receiver(words) | Self::Software(words) => words,
        }
    }
}
