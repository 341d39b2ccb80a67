use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site};
use hapax_standin::{Effect, Reply};
use serde_json::{Value, json};

/// `postgres.execute`: inserts one row.
pub(crate) struct Execute;

const NO_RECORD: &str = "a refusal leaves no record, and nothing is stored but a commit";
const ONE_ROW: &str = "the key is the table's primary key, so there is one row or none";

pub(crate) const UNREACHED: &[(&str, &str)] = &[
    ("verdict:taken", "only a row that the role may not read gives it; the unit tests do"),
    ("found:failed", NO_RECORD),
    ("found:several", ONE_ROW),
    ("event:alarm", "no two records of one operation can be there, and no answer speaks of another"),
];

const NO_TRANSPORT: &str = "what is bent is the HTTP transport, which this shot doesn't take";
const ABSORBED: &str = "the row and the lock let no second COMMIT out, whatever is believed of the first";

pub(crate) const HIDDEN: &[(&str, &str)] = &[
    ("fresh-key-per-attempt", NO_TRANSPORT),
    ("first-page-is-all", NO_TRANSPORT),
    ("sends-twice", NO_TRANSPORT),
    ("transport-retries", NO_TRANSPORT),
    ("redirect-followed", NO_TRANSPORT),
    ("not-sent-after-bytes-left", NO_TRANSPORT),
    ("secret-in-a-message", NO_TRANSPORT),
    ("absence-believed-at-once", ABSORBED),
    ("reported-before-durable", ABSORBED),
    ("clock-does-not-count-sleep", ABSORBED),
    ("several-swallowed", ONE_ROW),
    ("claim-not-stored", ONE_ROW),
    ("echo-not-compared", "no answer to COMMIT speaks of another object"),
];

fn insert(word: &str, amount: i64) -> Value {
    let sql = "INSERT INTO entry (word, amount) VALUES ($1, $2) RETURNING amount";
    json!({ "statements": [{ "sql": sql, "params": [word, amount], "rows": { "exactly": 1 } }] })
}

fn word(number: u64) -> String {
    format!("word {number}")
}

#[async_trait]
impl CellSubject for Execute {
    fn id(&self) -> &'static str {
        "postgres.execute"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("SQL", "/COMMIT"), prepare: &[], look: Some(("SQL", "/SELECT pg_is_in_recovery()")) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Sample { args: insert(&word(number), 7), target: word(number) })
    }

    /// A row of this word, unless another operation's row says that it is its own. A row beside which no operation's row
    /// was committed counts: that is what must not be.
    fn is_effect(&self, effect: &Effect, sample: &Sample, mark: &str) -> bool {
        effect.carries(&sample.target) && (effect.object.is_empty() || effect.object == mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        insert(&sample.target, 8)
    }

    /// The messages of an error in the server's own form, and of its being ready again.
    fn error_reply(&self, status: u16) -> Reply {
        let state = match status {
            401 | 403 => "42501",
            429 => "53300",
            _ => "57P03",
        };
        let fields = format!("SERROR\0VERROR\0C{state}\0Mwords that may hold values\0\0");
        let length = u32::try_from(fields.len() + 4).unwrap_or_default();
        let mut body = vec![b'E'];
        body.extend(length.to_be_bytes());
        body.extend(fields.into_bytes());
        body.extend([b'Z', 0, 0, 0, 5, b'E']);
        Reply { status, headers: Vec::new(), body }
    }

    fn refuses(&self) -> bool {
        true
    }

    /// The refusal is the answer to COMMIT: a deferred constraint. The other statement would be the effect.
    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        let mut args = insert(&word(number), 7);
        let late = json!({ "sql": "INSERT INTO late VALUES ($1)", "params": ["taken"] });
        args["statements"].as_array_mut()?.push(late);
        Some(Ok(Sample { args, target: word(number) }))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        const REAL: &str = "a real server can't be told to do this, and no wire can pretend it";
        const LIVES: &str = "the server lives in real time and ends a session that is held up for so long; unit tests look at \
             an open transaction";
        let told = ["stored-500", "stored-500-with-effect", "stored-500-repaired", "ignores-its-key", "redirect"];
        let pretended = ["redirect-after", "foreign-object", "look-lags", "look-lags-nothing"];
        let mut skips: Vec<_> = told.into_iter().chain(pretended).map(|name| (name, REAL)).collect();
        skips.push(("look-too-early", LIVES));
        skips
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        // As the answer to COMMIT this is no documented refusal, so each is unclear, and after three a person is asked.
        vec![("429-storm", End::Person)]
    }
}
