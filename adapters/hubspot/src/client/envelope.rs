//! HubSpot's errors. No field of them is promised, and where a code stands differs from API to API.

use hapax_core::capability::Code;
use hapax_core::transport::Response;
use serde::Deserialize;
use serde_json::Value;

/// HubSpot's category of what isn't there.
pub(crate) const NOT_FOUND: &str = "OBJECT_NOT_FOUND";

/// Our name for a unique value that another record has, which HubSpot says in words alone.
pub(crate) const VALUE_IS_TAKEN: &str = "unique_value_taken";

/// Our name for an association that is wrong, which HubSpot says in words alone.
pub(crate) const ASSOCIATION_IS_WRONG: &str = "association_wrong";

/// What others saw for a value that is taken.
const TAKEN_WORDS: [&str; 2] = ["CONFLICTING_UNIQUE_VALUE", "already has that value"];

/// What others saw for wrong associations, and wider: taking another error for it costs a look.
const ASSOCIATION_WORDS: [&str; 4] = ["association", "Association", "ASSOCIATION", "INVALID_OBJECT_IDS"];

/// The error that an answer carries. Kind: HubSpot's category. Code: what is wrong, where that is said.
pub(super) fn code(response: &Response) -> Option<Code> {
    if response.is_success() {
        let batch: Batch = serde_json::from_slice(&response.body).ok()?;
        let first = batch.errors.into_iter().next()?;
        return Some(first.code(response.status));
    }
    let error: Envelope = serde_json::from_slice(&response.body).ok()?;
    error.is_own().then(|| error.code(response.status))
}

/// The answer to a batch, of which inputs can fail one by one.
#[derive(Deserialize)]
struct Batch {
    #[serde(default)]
    errors: Vec<Envelope>,
}

#[derive(Deserialize)]
struct Envelope {
    category: Option<String>,
    /// In place of the category where a limit is exceeded.
    #[serde(rename = "errorType")]
    error_type: Option<String>,
    message: Option<String>,
    #[serde(rename = "correlationId")]
    correlation_id: Option<String>,
    /// A word, or an object in the answers to batches.
    #[serde(rename = "subCategory")]
    sub_category: Option<Value>,
    /// What it is about, by names of HubSpot's.
    #[serde(default)]
    context: Value,
    #[serde(default)]
    errors: Vec<Detail>,
}

/// One of several things that are wrong.
#[derive(Deserialize)]
struct Detail {
    message: Option<String>,
    code: Option<String>,
    #[serde(default)]
    context: Value,
}

/// What HubSpot writes as JSON inside a message about the values of properties.
#[derive(Deserialize)]
struct InvalidValue {
    error: Option<String>,
    name: Option<String>,
}

impl Envelope {
    fn is_own(&self) -> bool {
        self.correlation_id.is_some() && self.message.is_some()
    }

    fn code(&self, status: u16) -> Code {
        let kind = self.category.as_deref().or(self.error_type.as_deref()).unwrap_or_default();
        let invalid = self.invalid_values();
        let code = if self.says(&TAKEN_WORDS) {
            VALUE_IS_TAKEN
        } else if self.says(&ASSOCIATION_WORDS) {
            ASSOCIATION_IS_WRONG
        } else {
            self.own_code(&invalid)
        };
        let about = self.property(&invalid).map(|name| format!(" about {name}")).unwrap_or_default();
        let named = [kind, code].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        // HubSpot's words quote what was sent, so none of them are kept.
        Code::new(kind, code, &format!("HubSpot answers {status} {named}{about}"))
    }

    fn own_code<'a>(&'a self, invalid: &'a [InvalidValue]) -> &'a str {
        let details = one_of(self.errors.iter().filter_map(|detail| detail.code.as_deref()));
        let values = one_of(invalid.iter().filter_map(|value| value.error.as_deref()));
        let sub_category = self.sub_category.as_ref().and_then(Value::as_str).unwrap_or_default();
        [details, values, sub_category].into_iter().find(|code| is_word(code)).unwrap_or_default()
    }

    fn says(&self, words: &[&str]) -> bool {
        let details = self.errors.iter().flat_map(|detail| [detail.message.as_deref(), detail.code.as_deref()]);
        let sub_category = self.sub_category.as_ref().and_then(Value::as_str);
        let texts = details.chain([self.message.as_deref(), sub_category]).flatten();
        let contexts = self.errors.iter().map(|detail| &detail.context).chain([&self.context]);
        let names = contexts.filter_map(Value::as_object).flat_map(|context| context.keys().map(String::as_str));
        texts.chain(names).any(|text| words.iter().any(|words| text.contains(words)))
    }

    fn invalid_values(&self) -> Vec<InvalidValue> {
        let message = self.message.as_deref().unwrap_or_default();
        let list = message.find('[').and_then(|at| message.get(at..)).unwrap_or_default();
        serde_json::from_str(list).unwrap_or_default()
    }

    /// The one property that it is about.
    fn property<'a>(&'a self, invalid: &'a [InvalidValue]) -> Option<&'a str> {
        let in_context = |detail: &'a Detail| detail.context.get("propertyName")?.get(0)?.as_str();
        let names = self.errors.iter().filter_map(in_context).chain(invalid.iter().filter_map(|it| it.name.as_deref()));
        Some(one_of(names)).filter(|name| is_word(name))
    }
}

/// Whether this is a name of HubSpot's and not a value of somebody's.
fn is_word(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    !text.is_empty() && text.len() <= 100 && text.bytes().all(is_plain)
}

/// The one value that all have, or that there are several.
fn one_of<'a>(mut values: impl Iterator<Item = &'a str>) -> &'a str {
    let first = values.next().unwrap_or_default();
    if values.all(|other| other == first) { first } else { "several" }
}
