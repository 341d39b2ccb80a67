//! Names of parameters. Prism lets names pass that a description doesn't have, so a misspelled one would not be noticed.

use hapax_standin::{Request, Seen};
use serde_json::Value;

/// Names in a request's form and query that the description of its path doesn't have.
pub(crate) fn unknown(description: &Value, seen: &Seen) -> Vec<String> {
    let request = Request::parse(&seen.method, &seen.target, seen.headers.clone(), seen.body.clone());
    let operation = &description["paths"][path(&request)][request.method.to_lowercase()];
    assert!(operation.is_object(), "the description has no {} {}", request.method, request.path);
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let queries: Vec<&str> =
        parameters.filter(|one| one["in"] == "query").filter_map(|one| one["name"].as_str()).collect();
    let fields = &operation["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]["properties"];
    let query = request.query.iter().filter(|(name, _)| !queries.contains(&name.as_str()));
    let form = request.form.iter().filter(|(name, _)| fields.get(name).is_none());
    query.chain(form).map(|(name, _)| format!("{} {name}", request.method)).collect()
}

/// The path as the description has it.
fn path(request: &Request) -> String {
    match request.segments().as_slice() {
        [version, accounts, _, list] => format!("/{version}/{accounts}/{{AccountSid}}/{list}"),
        [version, accounts, _, list, _] => format!("/{version}/{accounts}/{{AccountSid}}/{list}/{{Sid}}.json"),
        _ => request.path.clone(),
    }
}
