//! The arguments of a cell, from their JSON Schema.

use serde_json::Value;

use super::markdown::table;

/// A table of the fields, and the whole schema.
pub(super) fn section(schema: &Value) -> String {
    let fields = schema.get("properties").and_then(Value::as_object);
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut rows: Vec<Vec<String>> = fields
        .into_iter()
        .flatten()
        .map(|(name, field)| {
            let needed = if required.contains(&name.as_str()) { "yes" } else { "no" };
            vec![format!("`{name}`"), kind(schema, field), needed.to_owned(), described(field)]
        })
        .collect();
    // Required ones first; within that, as the schema has them.
    rows.sort_by_key(|row| row.get(2).is_none_or(|needed| needed != "yes"));
    let whole = serde_json::to_string_pretty(schema).unwrap_or_default();
    format!(
        "{}\n<details><summary>JSON Schema</summary>\n\n```json\n{whole}\n```\n\n</details>\n",
        table(&["field", "type", "required", "what"], rows)
    )
}

fn described(field: &Value) -> String {
    field.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The type of a field in a few words.
fn kind(schema: &Value, field: &Value) -> String {
    if let Some(name) = field.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()) {
        let definition = schema.get("$defs").and_then(|definitions| definitions.get(name));
        return definition.map_or_else(|| name.to_owned(), |definition| shape(schema, name, definition));
    }
    let several = field.get("anyOf").or_else(|| field.get("oneOf")).and_then(Value::as_array);
    if let Some(several) = several {
        let words: Vec<String> = several.iter().map(|one| kind(schema, one)).filter(|word| word != "null").collect();
        return words.join(" or ");
    }
    if let Some(constant) = field.get("const").and_then(Value::as_str) {
        return format!("`{constant}`");
    }
    if let Some(values) = field.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = values.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
        return words.join(" or ");
    }
    match field.get("type") {
        Some(Value::String(word)) if word == "array" => match field.get("items") {
            Some(items) => format!("list of {}", kind(schema, items)),
            None => "list".to_owned(),
        },
        Some(Value::String(word)) => word.clone(),
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).filter(|word| *word != "null").collect();
            words.join(" or ")
        }
        _ => "any".to_owned(),
    }
}

/// A type of its own: its values if it is a choice, else its fields.
fn shape(schema: &Value, name: &str, definition: &Value) -> String {
    let Some(fields) = definition.get("properties").and_then(Value::as_object) else { return kind(schema, definition) };
    let fields: Vec<String> = fields.keys().map(|field| format!("`{field}`")).collect();
    format!("{name} ({})", fields.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_said_in_a_few_words() {
        let schema = serde_json::json!({
            "$defs": {
                "Money": { "properties": { "amount": {}, "currency": {} } },
                "When": { "oneOf": [{ "const": "now" }, { "const": "later" }] },
            },
            "properties": {
                "b": { "type": ["string", "null"] },
                "money": { "$ref": "#/$defs/Money", "description": "how much" },
                "when": { "anyOf": [{ "$ref": "#/$defs/When" }, { "type": "null" }] },
                "all": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["money"],
        });
        let text = section(&schema);
        assert!(text.contains("| `b` | string | no |  |"), "{text}");
        assert!(text.contains("| `money` | Money (`amount`, `currency`) | yes | how much |"), "{text}");
        assert!(text.contains("| `when` | `now` or `later` | no |  |"), "{text}");
        assert!(text.contains("| `all` | list of string | no |  |"), "{text}");
        assert!(text.find("`money`") < text.find("`b`"), "{text}");
    }
}
