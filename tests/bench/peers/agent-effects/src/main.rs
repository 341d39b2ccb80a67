//! agent-effects on SQLite as a driver: `peer-agent-effects PROVIDER FILE`. The protocol of lines is told in README.md.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use agent_effects::{EffectFailure, EffectKind, EffectOutcome, Runtime};
use agent_effects_sqlite::SqliteStore;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Command {
    load: Load,
}

#[derive(Clone, Copy, Deserialize)]
struct Load {
    callers: u64,
    seconds: f64,
    seed: u64,
    replay_of: Option<u64>,
    most: Option<u64>,
}

struct Peer {
    runtime: Runtime<SqliteStore>,
    client: reqwest::Client,
    url: String,
}

impl Peer {
    async fn call(&self, key: String) -> Result<(), String> {
        let body = json!({
            "amount": 1999,
            "currency": "eur",
            "customer": format!("cus_{key}"),
            "description": format!("an order, padded to what a small charge carries: {}", ".".repeat(48)),
        })
        .to_string();
        let effect = self.runtime.effect("bench.charge", key.clone()).kind(EffectKind::IrreversibleWrite);
        let effect = effect.input(&body).remote_idempotency(true);
        let call = Call { client: self.client.clone(), url: self.url.clone(), key, body };
        let outcome = effect.run(move |_| call.clone().send()).await.map_err(|error| error.to_string())?;
        match outcome {
            EffectOutcome::Committed(_) => Ok(()),
            _ => Err("it is not committed".to_owned()),
        }
    }
}

#[derive(Clone)]
struct Call {
    client: reqwest::Client,
    url: String,
    key: String,
    body: String,
}

impl Call {
    async fn send(self) -> Result<String, EffectFailure> {
        let request = self.client.post(&self.url).header("Idempotency-Key", self.key);
        let answer = request.header("Content-Type", "application/json").body(self.body).send().await;
        let whole = answer.map_err(EffectFailure::ambiguous)?.error_for_status().map_err(EffectFailure::ambiguous)?;
        whole.text().await.map_err(EffectFailure::ambiguous)
    }
}

async fn load(peer: &Arc<Peer>, load: Load) -> serde_json::Value {
    let (next, errors) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let began = Instant::now();
    let end = began + Duration::from_secs_f64(load.seconds);
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..load.callers {
        let (peer, next, errors) = (Arc::clone(peer), Arc::clone(&next), Arc::clone(&errors));
        callers.spawn(async move {
            let mut took = Vec::new();
            loop {
                let from = Instant::now();
                let number = next.fetch_add(1, Ordering::Relaxed);
                if from >= end || load.most.is_some_and(|most| number >= most) {
                    return took;
                }
                let number = load.replay_of.map_or(number, |keys| number % keys.max(1));
                // As long as the others' keys, which are UUIDs.
                match peer.call(format!("{:x<36}", format!("{}-{number}", load.seed))).await {
                    Ok(()) => took.push(u64::try_from(from.elapsed().as_micros()).unwrap_or(u64::MAX)),
                    Err(why) if errors.fetch_add(1, Ordering::Relaxed) < 3 => eprintln!("a call failed: {why}"),
                    Err(_) => {}
                }
            }
        });
    }
    let mut took: Vec<u64> = callers.join_all().await.into_iter().flatten().collect();
    let seconds = began.elapsed().as_secs_f64();
    took.sort_unstable();
    let part = |hundredths: usize| took.get(took.len().saturating_sub(1) * hundredths / 100).copied().unwrap_or(0);
    json!({
        "ops": took.len(), "errors": errors.load(Ordering::Relaxed), "seconds": seconds,
        "p50_us": part(50), "p99_us": part(99), "max_us": part(100),
    })
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let store = SqliteStore::open(&arguments[2]).await.expect("the store opens");
    let url = format!("{}/charge", arguments[1]);
    let peer = Arc::new(Peer { runtime: Runtime::new(store), client: reqwest::Client::new(), url });
    say(&json!({ "ready": true }));
    let (send, mut lines) = tokio::sync::mpsc::channel::<String>(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    while let Some(line) = lines.recv().await {
        let command: Command = serde_json::from_str(&line).expect("a command");
        say(&load(&peer, command.load).await);
    }
}

fn say(line: &serde_json::Value) {
    println!("{line}");
    std::io::stdout().flush().expect("somebody listens");
}
