use hapax_core::capability::{Meaning, Sure};
use serde::Deserialize;
use toml::Spanned;

/// Where a fact is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceDeclaration {
    /// Address of the page, or the words of what is presumed.
    pub url: String,
    /// Day on which somebody last read it there, as `YYYY-MM-DD`. Without it nothing is relied on.
    pub read: Option<Spanned<String>>,
    /// What kind of text it is.
    #[serde(default = "presumed")]
    pub sure: Sure,
}

const fn presumed() -> Sure {
    Sure::Presumed
}

/// What must hold on a connection.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum NeedDeclaration {
    /// A scope or permission of the credentials.
    Permission(String),
    /// A setting of the account.
    Setting(String),
    /// Something that the receiver must do.
    Receiver(String),
    /// A property of the server's software.
    Software(String),
}

/// What an answer means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowDeclaration {
    /// HTTP status; left out: any.
    #[serde(default)]
    pub status: u16,
    /// Kind of error; left out: any. The empty text: none.
    pub kind: Option<String>,
    /// Code of the error; left out: any. The empty text: none.
    pub code: Option<String>,
    /// What it means for the attempt that it answers.
    pub means: Spanned<Meaning>,
    /// Where that is written.
    pub source: Option<SourceDeclaration>,
}
