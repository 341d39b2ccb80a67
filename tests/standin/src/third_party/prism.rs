//! Prism, a mock that answers from a vendor's own API description and says what is wrong with a request by it.
//!
//! It keeps no state and gives the same canned answers to every request, so it can show that a request is valid and that
//! an answer can be read: never that something happened, or happened once.

use super::{NODE, Running, are_there, command, folder, ready};
use serde_json::Value;
use std::io;
use std::path::PathBuf;
use tokio::io::AsyncWriteExt;

const FILES: (&str, &str) = (NODE, "prism.cjs");

/// A change to a copy of a description, because the description contradicts itself or its answers lead nowhere.
#[derive(Clone, Copy, Debug)]
pub struct Edit {
    /// What is wrong with it as it is.
    pub why: &'static str,
    /// Makes it right. Returns whether there was something to change.
    pub make: fn(&mut Value) -> bool,
}

/// Whether Prism is installed.
pub fn available() -> bool {
    are_there(FILES)
}

/// A vendor's description: from the folder that `HAPAX_SPECS` names, else from what was installed.
///
/// Fails if it is in neither, which a test says instead of passing, or if it is no JSON.
pub fn description(file: &str) -> io::Result<Value> {
    let named = std::env::var_os("HAPAX_SPECS").map(PathBuf::from);
    let installed = folder().map(|folder| folder.join("descriptions"));
    let found = [named, installed].into_iter().flatten().map(|folder| folder.join(file)).find(|path| path.exists());
    let missing = || io::Error::new(io::ErrorKind::NotFound, "it is not installed, nor where HAPAX_SPECS points");
    Ok(serde_json::from_slice(&std::fs::read(found.ok_or_else(missing)?)?)?)
}

/// Starts a mock from an edited copy of a description, which is written nowhere.
///
/// Fails if Prism is not installed or ends before it is ready, and if an edit finds nothing to change: then the
/// description is another one than the edit was made for.
pub async fn start(mut description: Value, edits: &[Edit]) -> io::Result<Running> {
    for edit in edits {
        if !(edit.make)(&mut description) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("nothing to edit: {}", edit.why)));
        }
    }
    let mut child = command(FILES)?.spawn()?;
    // The input stays open in the child's handle: its end would end the mock.
    let input = child.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    input.write_all(format!("{description}\n").as_bytes()).await?;
    input.flush().await?;
    let url = ready(&mut child).await?;
    Ok(Running { url, _child: child })
}

/// Calls a function for every object in a description, and says whether it changed any.
pub fn each_object(value: &mut Value, change: &mut dyn FnMut(&mut serde_json::Map<String, Value>) -> bool) -> bool {
    match value {
        Value::Object(object) => {
            let mut changed = change(object);
            for inner in object.values_mut() {
                changed |= each_object(inner, change);
            }
            changed
        }
        Value::Array(list) => list.iter_mut().fold(false, |changed, inner| each_object(inner, change) | changed),
        _ => false,
    }
}
