//! What a command ends with: a documented exit code, and for failures a stable code and a text that
//! says first what happened to the effect.

use hapax_core::cell::ConnectionError;
use hapax_core::executor::ExecutorError;
use hapax_core::identity::{KeyError, SecretError};
use hapax_core::ledger::LedgerError;
use hapax_core::words::{Next, Outcome};

/// Exit codes, as documented in `docs/reference/cli-json.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// It happened once, or the command did what it was asked.
    Succeeded = 0,
    /// A mistake of ours.
    Internal = 1,
    /// Bad input: nothing was sent.
    BadInput = 2,
    /// It did not happen, and won't under this key.
    Refused = 3,
    /// Not known yet.
    Unknown = 4,
    /// A person decides.
    Person = 5,
    /// Held until somebody approves.
    Held = 6,
    /// The ledger can't be used: nothing was sent.
    Ledger = 7,
}

impl Exit {
    /// The code for an outcome.
    pub(crate) fn of<R>(outcome: &Outcome<R>) -> Self {
        match outcome {
            Outcome::Succeeded { .. } => Self::Succeeded,
            Outcome::Refused { .. } => Self::Refused,
            Outcome::Unknown { next: Next::CallAgain { .. }, .. } => Self::Unknown,
            Outcome::Unknown { next: Next::Person, .. } => Self::Person,
            Outcome::Unknown { next: Next::Held, .. } => Self::Held,
        }
    }
}

/// Why a command did nothing.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// A stable code.
    pub(crate) code: &'static str,
    /// First what happened to the effect, then what is wrong, then what to do.
    pub(crate) message: String,
}

impl Failure {
    /// Bad input; the text begins with what happened to the effect.
    pub(crate) fn input(code: &'static str, message: impl Into<String>) -> Self {
        Self { exit: Exit::BadInput, code, message: message.into() }
    }

    /// The ledger said no; the text is its own.
    pub(crate) fn of_ledger(why: &str) -> Self {
        Self { exit: Exit::Ledger, code: "ledger", message: format!("nothing was sent: {why}") }
    }

    /// A mistake of ours, or of the machine.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { exit: Exit::Internal, code: "internal", message: message.into() }
    }
}

impl From<ExecutorError> for Failure {
    fn from(error: ExecutorError) -> Self {
        let exit = match error {
            ExecutorError::Ledger(_) | ExecutorError::Future(_) | ExecutorError::OtherSecret => Exit::Ledger,
            ExecutorError::InDoubt(_) => Exit::Unknown,
            _ => Exit::BadInput,
        };
        Self { exit, code: error.code(), message: error.to_string() }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        let code = if let LedgerError::Missing(_) = error { "ledger-missing" } else { "ledger" };
        Self { exit: Exit::Ledger, code, message: format!("nothing was sent: {error}") }
    }
}

impl From<ConnectionError> for Failure {
    fn from(error: ConnectionError) -> Self {
        let code = match error {
            ConnectionError::BaseUrl { .. } => "bad-base-url",
            ConnectionError::MissingCredential { .. } => "missing-credential",
        };
        Self::input(code, error.to_string())
    }
}

impl From<SecretError> for Failure {
    fn from(error: SecretError) -> Self {
        Self::input("bad-secret", error.to_string())
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        ExecutorError::Key(error).into()
    }
}
