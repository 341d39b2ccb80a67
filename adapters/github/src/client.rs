//! Address, authentication, and where GitHub puts its errors.

use async_trait::async_trait;
use hapax_core::capability::Code;
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::wire::User;
use crate::{
    CloseIssueCell, CreateCommentCell, CreateIssueCell, CreatePullRequestCell, CreateReleaseCell, DispatchWorkflowCell,
    MergePullRequestCell,
};

/// GitHub's REST API, version 2022-11-28.
#[derive(Clone, Copy, Debug, Default)]
pub struct GitHub;

const TOKEN: CredentialField = CredentialField {
    name: "token",
    variable: "GITHUB_TOKEN",
    optional: false,
    what: "a personal access token, or an installation token of a GitHub App",
};

#[async_trait]
impl Integration for GitHub {
    fn name(&self) -> &'static str {
        "github"
    }

    fn base_url(&self) -> &'static str {
        "https://api.github.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[TOKEN]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let token = connection
            .credentials
            .get(TOKEN.name)
            .ok_or_else(|| Fault::NotSent(format!("no GitHub token; set {}", TOKEN.variable)))?;
        let pinned = [("Accept", "application/vnd.github+json"), ("X-GitHub-Api-Version", "2022-11-28")];
        request.headers.extend(pinned.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let bearer = SecretString::from(format!("Bearer {}", token.expose_secret()));
        request.secrets.push(("Authorization".to_owned(), bearer));
        Ok(())
    }

    /// Only GitHub's own envelope counts; a proxy's or an emulator's error is none.
    fn code(&self, response: &Response) -> Option<Code> {
        if response.is_success() {
            return None;
        }
        let error: Envelope = serde_json::from_slice(&response.body).ok()?;
        let is_own = match error.documentation_url.as_deref() {
            Some(url) => DOCUMENTS.iter().any(|own| url.starts_with(own)),
            // The description's own examples of these two have a message alone.
            None => matches!(response.status, 405 | 409),
        };
        is_own.then(|| error.code(response))
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        match wire.call::<User>(Request::get("/user")).await {
            Ok(user) => Ok(format!("GitHub user {}", user.login)),
            // An installation of an app is no user.
            Err(Fault::Status(status @ (403 | 404), _)) => {
                let _: IgnoredAny =
                    wire.call(Request::get("/installation/repositories").query("per_page", "1")).await?;
                Ok(format!("an installation of a GitHub App (no user: status {status})"))
            }
            Err(fault) => Err(fault),
        }
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![
            erase(CreateIssueCell),
            erase(CreateCommentCell),
            erase(CreatePullRequestCell),
            erase(MergePullRequestCell),
            erase(CreateReleaseCell),
            erase(DispatchWorkflowCell),
            erase(CloseIssueCell),
        ]
    }
}

/// Where the addresses in GitHub's errors lead to.
const DOCUMENTS: [&str; 2] = ["https://docs.github.com/", "https://developer.github.com/"];

#[derive(Deserialize)]
struct Envelope {
    message: String,
    documentation_url: Option<String>,
    #[serde(default)]
    errors: Vec<Complaint>,
}

/// One of several things that are wrong; some endpoints write a sentence in its place.
#[derive(Deserialize)]
#[serde(untagged)]
enum Complaint {
    About { field: Option<String>, code: Option<String>, message: Option<String> },
    Words(String),
}

impl Envelope {
    /// Kind: the field that is wrong. Code: ours for what GitHub says in words alone, else GitHub's own.
    fn code(&self, response: &Response) -> Code {
        let field = one_of(self.errors.iter().map(Complaint::field));
        let code = self.known_words(response).map_or_else(
            || match one_of(self.errors.iter().map(Complaint::code)) {
                "" => by_status(response.status).to_owned(),
                named => named.to_owned(),
            },
            str::to_owned,
        );
        // GitHub's words quote branches, logins and what was sent, so none of them are kept.
        let about = if field.is_empty() { String::new() } else { format!(" about {field}") };
        let message = format!("GitHub answers {} {code}{about}", response.status);
        Code::new(field, code, &message)
    }

    fn known_words(&self, response: &Response) -> Option<&'static str> {
        let all = || std::iter::once(self.message.as_str()).chain(self.errors.iter().map(Complaint::words));
        let said = |words: &str| all().any(|text| text.to_ascii_lowercase().contains(words));
        let is_limit = matches!(response.status, 403 | 429);
        if is_limit && said("secondary rate limit") {
            return Some("secondary_rate_limit");
        }
        // The last request that is let in has nothing left either, so the words must say it too.
        if is_limit && response.header("x-ratelimit-remaining") == Some("0") && said("rate limit exceeded") {
            return Some("rate_limit");
        }
        if said("was submitted too quickly") {
            return Some("submitted_too_quickly");
        }
        if response.status == 422 && said("a pull request already exists for") {
            return Some("pull_request_exists");
        }
        (response.status == 422 && self.errors.is_empty() && said("invalid request")).then_some("invalid_request")
    }
}

impl Complaint {
    fn field(&self) -> &str {
        if let Self::About { field: Some(field), .. } = self { field } else { "" }
    }

    fn code(&self) -> &str {
        if let Self::About { code: Some(code), .. } = self { code } else { "" }
    }

    fn words(&self) -> &str {
        match self {
            Self::About { message, .. } => message.as_deref().unwrap_or_default(),
            Self::Words(words) => words,
        }
    }
}

/// The one value that all have, or that there are several.
fn one_of<'a>(mut values: impl Iterator<Item = &'a str>) -> &'a str {
    let first = values.next().unwrap_or_default();
    if values.all(|other| other == first) { first } else { "several" }
}

fn by_status(status: u16) -> &'static str {
    match status {
        401 => "bad_credentials",
        403 => "forbidden",
        404 => "not_found",
        405 => "not_mergeable",
        409 => "conflict",
        410 => "gone",
        422 => "validation_failed",
        _ => "error",
    }
}

#[cfg(test)]
mod tests;
