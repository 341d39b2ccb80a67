//! Secrets and personal data where they must not be: in what the real binary says and writes.
//!
//! The kit's `NoSecret` looks at what the executor tells and at the ledger's file, after every fault. Here it is the whole
//! program, with its logs at their most talkative: each credential is a canary that stands nowhere else, and a wire in
//! front of the stand-in changes it into what that accepts. What people wrote into arguments may be in the ledger and in
//! answers, and is looked for in logs and errors.

use std::collections::BTreeMap;
use std::process::Output;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use hapax_standin::{Fault, Reply};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::bed::Bed;
use super::jobs::{self, Job};
use super::process::finish;
use super::random::number;

/// A canary is made of so many letters at least: a shorter field can't be told from anything else.
const LEAST: usize = 6;

/// How many trials run at once; most of their time they wait for a process to begin.
const AT_ONCE: usize = 4;

/// A credential, and what stands in for it.
#[derive(Clone)]
struct Canary {
    field: &'static str,
    accepted: String,
    canary: String,
    /// What is looked for: the canary without a beginning that everybody's credential has.
    sign: String,
}

impl Canary {
    fn of(integration: &str, place: u64, field: &'static str, accepted: &str) -> Self {
        let begins = accepted.rfind(['_', '.', '-']).map_or(0, |at| at + 1);
        let begins = if accepted.len() - begins < LEAST { 0 } else { begins };
        let seed = integration.bytes().fold(place, |seed, byte| number(seed, u64::from(byte)));
        let letters = accepted[begins..].chars().enumerate().map(|(at, old)| letter(old, number(seed, at as u64)));
        let sign: String = letters.collect();
        let canary = format!("{}{sign}", &accepted[..begins]);
        Self { field, accepted: accepted.to_owned(), canary, sign }
    }

    fn variable(&self) -> String {
        format!("CANARY_{}", self.field.to_uppercase())
    }
}

/// Another letter of the same kind: what a field must look like is checked before anything is sent.
fn letter(old: char, number: u64) -> char {
    let of = |letters: &[u8]| char::from(letters[(number % letters.len() as u64) as usize]);
    match old {
        '0'..='9' => of(b"123456789"),
        'A'..='Z' => of(b"BCDFGHJKLMNPQRSTVWXZ"),
        'a'..='z' => of(b"bcdfghjkmnpqrstvwxz"),
        other => other,
    }
}

fn canaries(integration: &str) -> Vec<Canary> {
    let known = (0..).zip(hapax_catalog::stand_in_credentials(integration));
    let canaries = known.map(|(place, (field, accepted))| Canary::of(integration, place, field, accepted));
    // A date is checked as one, and tells nothing alone.
    canaries.filter(|one| one.sign.len() >= LEAST && one.field != "card_expiry").collect()
}

/// Which bytes become which on their way to the provider; each pair has one length, so that no head has to change.
fn changes(canaries: &[Canary]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let plain = canaries.iter().map(|one| (one.canary.clone(), one.accepted.clone()));
    let pairs = canaries.iter().flat_map(|one| canaries.iter().map(move |other| (one, other)));
    let basic = pairs.map(|(user, password)| {
        let encode = |user: &str, password: &str| BASE64.encode(format!("{user}:{password}"));
        (encode(&user.canary, &password.canary), encode(&user.accepted, &password.accepted))
    });
    basic.chain(plain).map(|(from, to)| (from.into_bytes(), to.into_bytes())).collect()
}

/// A wire to there that changes these bytes on the way; its address. It ends with the runtime.
async fn wire(to: &str, changes: Vec<(Vec<u8>, Vec<u8>)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let to = to.trim_start_matches("http://").trim_end_matches('/').to_owned();
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let Ok(far) = TcpStream::connect(&to).await else { continue };
            let ((near_out, near_in), (far_out, far_in)) = (near.into_split(), far.into_split());
            tokio::spawn(carry(near_out, far_in, changes.clone()));
            tokio::spawn(carry(far_out, near_in, Vec::new()));
        }
    });
    url
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, changes: Vec<(Vec<u8>, Vec<u8>)>) {
    let (mut held, mut read) = (Vec::new(), [0; 8192]);
    loop {
        let Ok(count) = from.read(&mut read).await else { return };
        held.extend_from_slice(&read[..count]);
        for (old, new) in &changes {
            while let Some(at) = held.windows(old.len()).position(|window| window == old) {
                held[at..at + old.len()].copy_from_slice(new);
            }
        }
        // What may be the beginning of one waits for the rest.
        let begun = |end: &[u8]| count > 0 && changes.iter().any(|(old, _)| old.starts_with(end));
        let whole = (0..held.len()).find(|at| begun(&held[*at..])).unwrap_or(held.len());
        if to.write_all(&held[..whole]).await.is_err() || count == 0 {
            return;
        }
        held.drain(..whole);
    }
}

/// What people wrote: every text in the arguments that is more than a word of the provider's.
fn personal(args: &Value) -> Vec<String> {
    match args {
        Value::String(text) if text.len() >= LEAST && text.contains([' ', '@']) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(personal).collect(),
        Value::Object(fields) => fields.values().flat_map(personal).collect(),
        _ => Vec::new(),
    }
}

/// Where something must not be, and what of it was there.
#[derive(Default)]
struct Found(Vec<String>);

impl Found {
    fn search(&mut self, job: Job, place: &str, bytes: &[u8], what: &str, words: &[String]) {
        let is_there = |bytes: &[u8], word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
        for word in words.iter().filter(|word| is_there(bytes, word)) {
            let lines = bytes.split(|byte| *byte == b'\n').filter(|line| is_there(line, word));
            let line = lines.map(String::from_utf8_lossy).next().unwrap_or_default();
            self.0.push(format!("{}: {what} {word:?} in {place}: {line}", job.cell));
        }
    }

    /// What a run said: logs and errors know neither, its answer may know the arguments.
    fn of_run(&mut self, job: Job, output: &Output, secrets: &[String], personal: &[String]) {
        self.search(job, "stdout", &output.stdout, "the secret", secrets);
        self.search(job, "stderr", &output.stderr, "the secret", secrets);
        self.search(job, "stderr", &output.stderr, "the argument", personal);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        self.search(job, "an error", answer["error"].to_string().as_bytes(), "the argument", personal);
    }
}

/// How the connection of a trial differs from a plain one.
async fn connect(bed: &Bed, canaries: &[Canary]) -> BTreeMap<String, String> {
    let url = wire(&bed.proxy_url(), changes(canaries)).await;
    let file = bed.path("hapax.toml");
    let mut config = std::fs::read_to_string(&file).expect("the configuration").replace(&bed.proxy_url(), &url);
    for one in canaries {
        config.push_str(&format!("{}_env = \"{}\"\n", one.field, one.variable()));
    }
    std::fs::write(file, config).expect("written");
    canaries.iter().map(|one| (one.variable(), one.canary.clone())).collect()
}

/// What a trial came to.
#[derive(Default)]
struct Trial {
    found: Found,
    /// How many lines of log were searched.
    logs: usize,
    /// How many texts of people's were looked for.
    personal: usize,
    succeeded: bool,
}

async fn trial(job: Job, fault: Fault) -> Trial {
    let bed = Bed::new(job, 1).await;
    let canaries = canaries(job.integration());
    let environment = connect(&bed, &canaries).await;
    bed.breaks(Some(fault));
    let signs = canaries.iter().map(|one| one.sign.clone());
    let secrets: Vec<String> = signs.chain([bed.secret.expose().to_owned()]).collect();
    let personal = personal(&bed.intents[0].args);
    let mut trial = Trial { personal: personal.len(), ..Trial::default() };
    // An attempt and, as far as it comes in that time, what follows it; then what people are shown.
    for mut command in [bed.hasty_caller(0), bed.show_command(0)] {
        let output = finish({
            command.envs(&environment).env("HAPAX_LOG", "trace");
            command
        });
        let output = output.await;
        trial.logs += String::from_utf8_lossy(&output.stderr).lines().count();
        trial.found.of_run(job, &output, &secrets, &personal);
        let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        trial.succeeded = said["phase"] == "succeeded" || said["outcome"] == "succeeded";
    }
    for end in ["ledger", "ledger-wal"] {
        let bytes = std::fs::read(bed.path(end)).unwrap_or_default();
        trial.found.search(job, end, &bytes, "the secret", &secrets);
    }
    trial
}

/// A refusal that repeats what was sent, as many do.
fn quoting(status: u16, words: &str) -> Fault {
    let error = json!({ "type": "invalid_request_error", "code": "invalid", "message": words, "status": "INVALID" });
    let reply = json!({ "error": error, "message": words, "code": 21_211, "name": "validation_error" });
    Fault::Reply(Reply::json(status, &reply).into())
}

/// Answers that were lost; and of each integration credentials that the provider doesn't know, and a refusal that quotes
/// the arguments.
async fn trials() -> Vec<(Job, Fault)> {
    let mut trials: Vec<_> = jobs::all().into_iter().map(|job| (job, Fault::CutAfterCommit)).collect();
    let mut seen = Vec::new();
    for job in jobs::all() {
        if !seen.contains(&job.integration()) {
            seen.push(job.integration());
            let words = personal(&Bed::new(job, 1).await.intents[0].args).join("; ");
            let secrets: Vec<String> = canaries(job.integration()).into_iter().map(|one| one.canary).collect();
            trials.extend([(job, quoting(422, &words)), (job, quoting(401, &secrets.join("; ")))]);
        }
    }
    trials
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_and_no_argument_is_where_it_must_not_be() {
    let (mut found, mut logs, mut personal, mut succeeded) = (Vec::new(), 0, 0, 0);
    let mut waiting = trials().await;
    let mut running = tokio::task::JoinSet::new();
    while !(waiting.is_empty() && running.is_empty()) {
        while running.len() < AT_ONCE
            && let Some((job, fault)) = waiting.pop()
        {
            running.spawn(trial(job, fault));
        }
        let trial = running.join_next().await.expect("one is running").expect("it ends");
        found.extend(trial.found.0);
        logs += trial.logs;
        personal += trial.personal;
        succeeded += usize::from(trial.succeeded);
    }
    let planted: usize = jobs::all().iter().map(|job| canaries(job.integration()).len()).sum();
    assert!(planted > 50 && personal > 30 && logs > 1_000, "{planted}, {personal}, {logs}: nothing was looked at");
    assert!(succeeded > 20, "only {succeeded} came to their end");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The search finds what is there: an answer does show arguments, and a wire shows credentials.
#[tokio::test]
async fn the_search_finds_what_is_planted() {
    let job = jobs::all().into_iter().find(|job| job.cell == "gmail.send").expect("a cell with texts");
    let bed = Bed::new(job, 1).await;
    let words = personal(&bed.intents[0].args);
    let canaries = canaries(job.integration());
    let secrets: Vec<String> = canaries.iter().map(|one| one.sign.clone()).collect();
    assert!(!words.is_empty() && !secrets.is_empty(), "{}", job.cell);
    let mut output = finish(bed.caller(0)).await;
    let mut found = Found::default();
    found.of_run(job, &output, &secrets, &words);
    assert!(found.0.is_empty(), "{:?}", found.0);
    output.stderr.extend_from_slice(format!("{} {}", words[0], canaries[0].canary).as_bytes());
    output.stdout = json!({ "error": { "message": words[0] } }).to_string().into_bytes();
    found.of_run(job, &output, &secrets, &words);
    assert_eq!(found.0.len(), 3, "{:?}", found.0);
}
