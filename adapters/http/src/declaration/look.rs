use std::collections::BTreeMap;

use hapax_core::capability::Absence;
use serde::Deserialize;
use toml::{Spanned, Value};

use crate::template::names;

use super::{FormWord, LifeWord, NeedDeclaration, SourceDeclaration, Time};

/// A request: every text in it is a template.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestDeclaration {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: Spanned<String>,
    /// Path below the base URL. Arguments in it are encoded.
    pub path: Spanned<String>,
    /// Query pairs. One whose template gives nothing is left out.
    #[serde(default)]
    pub query: BTreeMap<String, Spanned<String>>,
    /// Headers, without secrets.
    #[serde(default)]
    pub headers: BTreeMap<String, Spanned<String>>,
    /// A JSON body. A text that is one expression keeps the type of its value.
    pub json: Option<Spanned<Value>>,
    /// A form, as `application/x-www-form-urlencoded`.
    pub form: Option<BTreeMap<String, Spanned<String>>>,
}

/// A question that finds out whether it happened.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookDeclaration {
    /// Path of the question. It is a `GET`.
    pub path: Spanned<String>,
    /// Its query pairs.
    #[serde(default)]
    pub query: BTreeMap<String, Spanned<String>>,
    /// Where the answer holds the records, as a JSONPath that finds each of them: `$.data[*]`. Left out: the answer is
    /// the one record, and a 404 in the provider's own form says that there is none.
    pub hits: Option<Spanned<String>>,
    /// The next page, where the records come in pages.
    pub next: Option<NextPage>,
    /// What a record must hold to be ours: paths into a record, and templates.
    pub ours: BTreeMap<String, Spanned<String>>,
    /// What `mark` is written like, where a template uses it.
    #[serde(default)]
    pub mark_form: FormWord,
    /// How long an effect may stay invisible to this question; a minute, unless said otherwise.
    pub lag: Option<Spanned<Time>>,
    /// How far back it sees; not at all, unless said otherwise.
    pub horizon: Option<Spanned<LifeWord>>,
    /// What it is worth that nothing is found.
    pub absence: Option<Spanned<Absence>>,
    /// What must hold on the connection.
    #[serde(default)]
    pub needs: Vec<NeedDeclaration>,
    /// Where it is written.
    pub source: Option<SourceDeclaration>,
}

/// What a look goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Something that was planted.
    Mark,
    /// Our id or key.
    Token,
    /// Content that resembles ours.
    Content,
}

impl LookDeclaration {
    /// A look at one record, of which nothing else is said.
    pub(crate) fn at(path: Spanned<String>) -> Self {
        Self {
            path,
            query: BTreeMap::new(),
            hits: None,
            next: None,
            ours: BTreeMap::new(),
            mark_form: FormWord::default(),
            lag: None,
            horizon: None,
            absence: None,
            needs: Vec::new(),
            source: None,
        }
    }

    /// What it goes by: what its templates name.
    pub fn looks_by(&self) -> By {
        let texts = self.query.values().chain(self.ours.values()).chain([&self.path]);
        let named: Vec<String> = texts.flat_map(|text| names(text.get_ref())).collect();
        let names = |name: &str| named.iter().any(|known| known == name);
        match (names("mark"), names("id") || names("key")) {
            (true, _) => By::Mark,
            (false, true) => By::Token,
            (false, false) => By::Content,
        }
    }

    /// Where a record holds what is ours, as the matrix says it.
    pub fn ours_in_words(&self) -> String {
        self.ours.keys().cloned().collect::<Vec<_>>().join(", ")
    }
}

/// How the next page is asked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum NextPage {
    /// The answer holds a cursor that goes into a query pair; no cursor is the end.
    Cursor {
        /// Where the answer holds it.
        at: Spanned<String>,
        /// The pair's name.
        pair: String,
    },
    /// Pages are numbered; one without records is the end.
    Number {
        /// The pair's name.
        pair: String,
        /// The number of the first page.
        #[serde(default = "one")]
        first: u32,
    },
    /// The header `Link` names it (RFC 8288, `rel="next"`).
    Link,
}

const fn one() -> u32 {
    1
}

/// How one record is read by the provider's id.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordDeclaration {
    /// Its path, with `{{ id }}`.
    pub path: Spanned<String>,
}
