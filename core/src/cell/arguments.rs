use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads arguments as `A`.
///
/// # Errors
/// A sentence that names the field and never its value: arguments are personal data, and errors
/// end up in logs.
pub(super) fn read<A: DeserializeOwned>(args: &Value) -> Result<A, String> {
    serde_path_to_error::deserialize(args).map_err(|error| {
        let path = error.path().to_string();
        let said = without_values(&error.into_inner().to_string());
        // An unknown or missing field is named by the message itself; its path is the place around it.
        if path == "." { said } else { format!("{path}: {said}") }
    })
}

/// What serde says of a value, without the value: `invalid type: string "x", expected i64` becomes
/// `found a string, expected i64`.
fn without_values(said: &str) -> String {
    for kind in ["invalid type: ", "invalid value: "] {
        if let Some(rest) = said.strip_prefix(kind) {
            let Some((found, expected)) = rest.rsplit_once(", expected ") else {
                return "has the wrong type".to_owned();
            };
            return format!("found {}, expected {expected}", type_of(found));
        }
    }
    match said.strip_prefix("unknown variant ").and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((_, expected)) => format!("is none of the allowed words; expected {expected}"),
        None => said.to_owned(),
    }
}

fn type_of(found: &str) -> &'static str {
    const TYPES: [(&str, &str); 7] = [
        ("string", "a string"),
        ("integer", "an integer"),
        ("floating point", "a number with a point"),
        ("boolean", "true or false"),
        ("null", "null"),
        ("sequence", "a list"),
        ("map", "an object"),
    ];
    TYPES.iter().find(|(name, _)| found.starts_with(name)).map_or("something else", |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Money;
    use serde_json::json;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "what is tested is whether it parses")]
    struct Args {
        amount: Money,
        kind: Option<Word>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Word {
        Allowed,
    }

    #[test]
    fn a_field_is_named_and_its_value_is_not() {
        let check = |args: Value, says: &str| assert_eq!(read::<Args>(&args).err().as_deref(), Some(says));
        check(
            json!({"amount": {"amount": "se cret, expected none", "currency": "EUR"}}),
            "amount.amount: found a string, expected i64",
        );
        check(
            json!({"amount": {"amount": 10.5, "currency": "EUR"}}),
            "amount.amount: found a number with a point, expected i64",
        );
        check(json!({"kind": null}), "missing field `amount`");
        check(
            json!({"amount": {"amount": 1, "currency": "EUR"}, "kind": "se`cret"}),
            "kind: is none of the allowed words; expected `allowed`",
        );
        let unknown = read::<Args>(&json!({"amont": 1})).expect_err("unknown");
        assert!(unknown.ends_with("unknown field `amont`, expected `amount` or `kind`"), "{unknown}");
        assert!(matches!(Word::Allowed, Word::Allowed));
    }
}
