use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use url::Url;

use crate::transport::{Gate, Request, Response, Transport};
use crate::words::Fault;

/// A provider that gives the answers it was given, in order, and keeps what it was asked.
#[derive(Default)]
pub struct Script {
    answers: Mutex<VecDeque<Result<Response, Fault>>>,
    apart: Mutex<HashMap<String, VecDeque<Response>>>,
    asked: Mutex<Vec<(Url, Request)>>,
}

impl Script {
    /// A script of answers with a status and a JSON body.
    pub fn of(answers: impl IntoIterator<Item = (u16, Value)>) -> Arc<Self> {
        let script = Self::default();
        lock(&script.answers).extend(answers.into_iter().map(|(status, body)| Ok(response(status, &body))));
        Arc::new(script)
    }

    /// One more answer, or none in the end.
    pub fn push(&self, answer: Result<Response, Fault>) {
        lock(&self.answers).push_back(answer);
    }

    /// Answers of one path, apart from the others' order; the last one is given again and again. For
    /// token endpoints.
    pub fn apart(&self, path: &str, answers: impl IntoIterator<Item = Response>) {
        lock(&self.apart).insert(path.to_owned(), answers.into_iter().collect());
    }

    /// How often a path was asked.
    pub fn count(&self, path: &str) -> usize {
        lock(&self.asked).iter().filter(|(_, request)| request.path == path).count()
    }

    /// What was asked so far, as method and target; paths that were set apart are left out.
    pub fn asked(&self) -> Vec<String> {
        let apart = lock(&self.apart);
        let asked = lock(&self.asked);
        let counted = asked.iter().filter(|(_, request)| !apart.contains_key(&request.path));
        counted.map(|(_, request)| format!("{} {}", request.method.as_str(), request.target())).collect()
    }

    /// One of the requests, and the address that it went to.
    ///
    /// # Panics
    /// If there were fewer.
    pub fn request(&self, number: usize) -> (Url, Request) {
        lock(&self.asked)[number].clone()
    }

    /// The last request.
    ///
    /// # Panics
    /// If there was none.
    pub fn last(&self) -> Request {
        lock(&self.asked).last().expect("a request").1.clone()
    }

    fn answer(&self, base: &Url, request: Request) -> Result<Response, Fault> {
        let apart = lock(&self.apart).get_mut(&request.path).and_then(|answers| match answers.len() {
            0 | 1 => answers.front().cloned(),
            _ => answers.pop_front(),
        });
        lock(&self.asked).push((base.clone(), request));
        if let Some(answer) = apart {
            return Ok(answer);
        }
        lock(&self.answers).pop_front().expect("one more answer in the script")
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Transport for Script {
    async fn ask(&self, base: &Url, request: Request, _within: Duration) -> Result<Response, Fault> {
        self.answer(base, request)
    }

    async fn shoot(&self, base: &Url, request: Request, _gate: Gate) -> Result<Response, Fault> {
        self.answer(base, request)
    }
}

/// An answer with a status and a JSON body; null is no body.
pub fn response(status: u16, body: &Value) -> Response {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    Response { status, headers: Vec::new(), body }
}
