//! A place for a worker: the process on it is started, killed, stopped, and started again.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;

use super::record::{Record, lock};
use crate::history::{Event, Turn};
use crate::worker::{Answer, Ask, Setup, Told, Want};

/// A place for a worker.
pub(crate) struct Seat {
    pub(crate) name: String,
    program: PathBuf,
    setup: Setup,
    log: PathBuf,
    record: Arc<Record>,
    live: Mutex<Option<Arc<Live>>>,
    /// Two who start a worker at once start one.
    starting: tokio::sync::Mutex<()>,
}

/// A process that lives, as far as is known.
pub(crate) struct Live {
    pid: u32,
    input: tokio::sync::Mutex<ChildStdin>,
    waiting: Arc<Waiting>,
    numbers: AtomicU64,
    is_paused: AtomicBool,
    /// Set before it is killed: its end is no trouble then.
    is_killed: Arc<AtomicBool>,
    child: tokio::sync::Mutex<Child>,
}

/// Who waits for which answer. Once it is closed nobody waits any more.
#[derive(Default)]
struct Waiting(Mutex<(bool, HashMap<u64, oneshot::Sender<Answer>>)>);

impl Waiting {
    fn add(&self, id: u64) -> Option<oneshot::Receiver<Answer>> {
        let (send, receive) = oneshot::channel();
        let mut state = lock(&self.0);
        if state.0 {
            return None;
        }
        state.1.insert(id, send);
        Some(receive)
    }

    fn tell(&self, told: Told) {
        if let Some(send) = lock(&self.0).1.remove(&told.id) {
            // Whoever asked may have gone.
            let _ = send.send(told.answer);
        }
    }

    fn close(&self) {
        let mut state = lock(&self.0);
        state.0 = true;
        state.1.clear();
    }
}

impl Seat {
    pub(crate) fn new(name: String, program: PathBuf, setup: Setup, log: PathBuf, record: Arc<Record>) -> Self {
        Self { name, program, setup, log, record, live: Mutex::default(), starting: tokio::sync::Mutex::default() }
    }

    /// The worker on it, if there is one.
    pub(crate) fn live(&self) -> Option<Arc<Live>> {
        lock(&self.live).clone()
    }

    fn turns(&self, turn: Turn) {
        self.record.note(Event::Worker { worker: self.name.clone(), turn });
    }

    /// Starts a worker, if none is there.
    pub(crate) async fn start(&self) {
        let _turn = self.starting.lock().await;
        if self.live().is_some() {
            return;
        }
        match self.spawn().await {
            Ok(live) => {
                self.turns(Turn::Started);
                *lock(&self.live) = Some(live);
            }
            Err(error) => self.record.trouble(format!("{} can't be started: {error}", self.name)),
        }
    }

    async fn spawn(&self) -> std::io::Result<Arc<Live>> {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(&self.log)?;
        let mut command = Command::new(&self.program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).kill_on_drop(true);
        let mut child = command.spawn()?;
        let gone = || std::io::Error::other("it was gone at once");
        let (pid, input, output) = (child.id(), child.stdin.take(), child.stdout.take());
        let (pid, mut input, output) = (pid.ok_or_else(gone)?, input.ok_or_else(gone)?, output.ok_or_else(gone)?);
        let mut setup = serde_json::to_string(&self.setup)?;
        setup.push('\n');
        input.write_all(setup.as_bytes()).await?;
        let (waiting, is_killed) = (Arc::<Waiting>::default(), Arc::<AtomicBool>::default());
        tokio::spawn(listen(output, waiting.clone(), is_killed.clone(), self.name.clone(), self.record.clone()));
        Ok(Arc::new(Live {
            pid,
            input: tokio::sync::Mutex::new(input),
            waiting,
            numbers: AtomicU64::new(0),
            is_paused: AtomicBool::new(false),
            is_killed,
            child: tokio::sync::Mutex::new(child),
        }))
    }

    /// Kills the worker with SIGKILL, and waits until it is gone. Whether there was one.
    pub(crate) async fn kill(&self) -> bool {
        let Some(live) = lock(&self.live).take() else { return false };
        let mut child = live.child.lock().await;
        live.is_killed.store(true, Ordering::SeqCst);
        self.turns(Turn::Killed);
        let killed = match child.start_kill() {
            Ok(()) => child.wait().await.map(drop),
            Err(error) => Err(error),
        };
        if let Err(error) = killed {
            self.record.trouble(format!("{} can't be killed: {error}", self.name));
        }
        live.waiting.close();
        true
    }

    /// Stops the worker with SIGSTOP. What comes back lets it go on; none: it isn't there, or stands still already.
    pub(crate) async fn pause(&self) -> Option<Arc<Live>> {
        let live = self.live()?;
        if live.is_paused.swap(true, Ordering::SeqCst) {
            return None;
        }
        self.turns(Turn::Paused);
        live.signal(Signal::STOP).await;
        Some(live)
    }

    /// Lets a worker go on.
    pub(crate) async fn resume(&self, live: &Live) {
        if live.signal(Signal::CONT).await {
            self.turns(Turn::Resumed);
        }
        live.is_paused.store(false, Ordering::SeqCst);
    }
}

impl Live {
    /// Signals the process; whether it is there. Nobody reaps it meanwhile, so that its number is nobody else's.
    async fn signal(&self, signal: Signal) -> bool {
        let _child = self.child.lock().await;
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        let is_there = !self.is_killed.load(Ordering::SeqCst);
        is_there && pid.is_some_and(|pid| kill_process(pid, signal).is_ok())
    }

    /// Asks, and waits for the answer; none: it died before.
    pub(crate) async fn ask(&self, want: Want) -> Option<Answer> {
        let id = self.numbers.fetch_add(1, Ordering::Relaxed);
        let answer = self.waiting.add(id)?;
        let mut line = serde_json::to_string(&Ask { id, want }).ok()?;
        line.push('\n');
        // A pipe without a reader: then no answer comes either.
        self.input.lock().await.write_all(line.as_bytes()).await.ok()?;
        answer.await.ok()
    }
}

/// Hands answers to those who wait for them, until the process ends.
async fn listen(
    output: ChildStdout,
    waiting: Arc<Waiting>,
    is_killed: Arc<AtomicBool>,
    name: String,
    record: Arc<Record>,
) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        match serde_json::from_str(&line) {
            Ok(told) => waiting.tell(told),
            // Killed in the middle of a line.
            Err(_) if is_killed.load(Ordering::SeqCst) => {}
            Err(error) => record.trouble(format!("{name} says what can't be read: {error}")),
        }
    }
    if !is_killed.load(Ordering::SeqCst) {
        record.trouble(format!("{name} has ended by itself"));
    }
    waiting.close();
}
