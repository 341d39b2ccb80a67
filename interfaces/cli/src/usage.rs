//! A command line that can't be read, in the words and shapes of all other errors.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Prints help where help was asked for, otherwise what is wrong.
pub(crate) fn explain(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // The reader may have gone away; there is nobody left to tell.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let json = std::env::args_os().any(|argument| argument == "--json");
    Output::new("hapax", json).failure(&Failure::input("usage", words(error)));
    ExitCode::from(Exit::BadInput as u8)
}

fn words(error: &clap::Error) -> String {
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(what))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && !what.starts_with('-')
    {
        // It may be the intent's arguments, which are personal data, so it isn't shown.
        return "nothing was sent: there is one word too many; arguments of the intent go after --args, as JSON, @file \
                or - for stdin"
            .to_owned();
    }
    let rendered = error.render().to_string();
    format!("nothing was sent: {}", rendered.trim_start_matches("error: ").trim_end())
}
