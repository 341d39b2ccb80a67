//! A history as text, one entry a line, that people read and that is read again.
//!
//! A line is a moment, a word for what happened, whom it is about, and the rest by name. Lines that begin with `#` are
//! remarks.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::{Call, Entry, Event, History, Receipt, Rest, Said, Says, Turn};

/// What would end a word or part it, and what says that something was replaced.
const REPLACED: &AsciiSet = &CONTROLS.add(b' ').add(b'%').add(b'=').add(b'~');

/// Parts an id from a digest: no provider's id has it.
const PARTS: char = '~';

/// A line that is no entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} can't be read: {why}")]
pub struct Unreadable {
    /// Which, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for remark in &self.remarks {
            writeln!(f, "# {remark}")?;
        }
        for entry in &self.entries {
            writeln!(f, "{entry}")?;
        }
        Ok(())
    }
}

impl FromStr for History {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let mut history = Self::default();
        for (index, line) in text.lines().enumerate() {
            match line.trim() {
                "" => {}
                remark if remark.starts_with('#') => history.remarks.push(remark[1..].trim().to_owned()),
                entry => {
                    let read = read(entry).map_err(|why| Unreadable { line: index + 1, why })?;
                    history.entries.push(read);
                }
            }
        }
        Ok(history)
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>9} ", self.at_ms)?;
        match &self.event {
            Event::Invoked { call, key, intent, by, at } => {
                write!(f, "invoke c{} {} intent={} by={} at={}", call.0, word(key), word(intent), word(by), word(at))
            }
            Event::Decided { call, key, says, by, at } => {
                write!(f, "decide c{} {} says={says} by={} at={}", call.0, word(key), word(by), word(at))
            }
            Event::Returned { call, said } => returned(f, *call, said),
            Event::Effect { key, intent, object, token } => {
                write!(f, "effect {} object={}", word(key.as_deref().unwrap_or("-")), word(object))?;
                field(f, "intent", intent.as_deref())?;
                field(f, "token", token.as_deref())
            }
            Event::Worker { worker, turn } => write!(f, "{} {}", turn.word(), word(worker)),
            Event::Network { between, is_cut } => {
                write!(f, "{} {}", if *is_cut { "cut" } else { "healed" }, word(between))
            }
            Event::Fault { at, what } => write!(f, "fault {} what={}", word(at), word(what)),
            Event::Restored { as_of_ms } => write!(f, "restored ledger as-of={as_of_ms}"),
            Event::Quiet => f.write_str("quiet"),
            Event::Rests { key, rest } => write!(f, "rests {} as={}", word(key), rest.word()),
        }
    }
}

impl fmt::Display for Says {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Happened(object) => write!(f, "happened:{}", word(object)),
            Self::DidNotHappen => f.write_str("did-not-happen"),
            Self::SendAgain => f.write_str("send-again"),
        }
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{PARTS}{}", word(&self.id), word(&self.digest))
    }
}

fn returned(f: &mut fmt::Formatter<'_>, call: Call, said: &Said) -> fmt::Result {
    let call = call.0;
    match said {
        Said::Ok(receipt) => write!(f, "ok c{call} receipt={receipt}"),
        Said::Refused { code } => write!(f, "refused c{call} code={}", word(code)),
        Said::Unknown { next, receipt } => {
            write!(f, "unknown c{call} next={}", word(next))?;
            receipt.as_ref().map_or(Ok(()), |receipt| write!(f, " receipt={receipt}"))
        }
        Said::NothingSent { code } => write!(f, "nothing-sent c{call} code={}", word(code)),
        Said::Lost => write!(f, "lost c{call}"),
    }
}

fn field(f: &mut fmt::Formatter<'_>, name: &str, value: Option<&str>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name}={}", word(value)))
}

fn word(text: &str) -> impl fmt::Display + '_ {
    utf8_percent_encode(text, REPLACED)
}

fn plain(word: &str) -> String {
    percent_decode_str(word).decode_utf8_lossy().into_owned()
}

impl Turn {
    const ALL: [Self; 4] = [Self::Started, Self::Killed, Self::Paused, Self::Resumed];

    fn word(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Killed => "killed",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
        }
    }
}

impl Rest {
    const ALL: [Self; 6] = [Self::Final, Self::Held, Self::Person, Self::Due, Self::Stuck, Self::Missing];

    fn word(self) -> &'static str {
        match self {
            Self::Final => "final",
            Self::Held => "held",
            Self::Person => "person",
            Self::Due => "due",
            Self::Stuck => "stuck",
            Self::Missing => "missing",
        }
    }
}

/// The words of a line, taken from the front, and what stands by name.
struct Words<'a> {
    front: std::vec::IntoIter<&'a str>,
    named: Vec<(&'a str, &'a str)>,
}

impl<'a> Words<'a> {
    fn of(line: &'a str) -> Self {
        let (named, front): (Vec<&str>, Vec<&str>) = line.split_whitespace().partition(|word| word.contains('='));
        let named = named.into_iter().filter_map(|word| word.split_once('=')).collect();
        Self { front: front.into_iter(), named }
    }

    fn next(&mut self, what: &str) -> Result<String, String> {
        self.front.next().map(plain).ok_or_else(|| format!("{what} is missing"))
    }

    fn call(&mut self) -> Result<Call, String> {
        let word = self.next("the call")?;
        let number = word.strip_prefix('c').and_then(|number| number.parse().ok());
        number.map(Call).ok_or_else(|| format!("{word} is no call"))
    }

    fn maybe(&self, name: &str) -> Option<&'a str> {
        self.named.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    fn raw(&self, name: &str) -> Result<&'a str, String> {
        self.maybe(name).ok_or_else(|| format!("{name}= is missing"))
    }

    fn named(&self, name: &str) -> Result<String, String> {
        self.raw(name).map(plain)
    }
}

fn read(line: &str) -> Result<Entry, String> {
    let mut words = Words::of(line);
    let at = words.next("the moment")?;
    let at_ms = at.parse().map_err(|_| format!("{at} is no moment"))?;
    let what = words.next("what happened")?;
    Ok(Entry { at_ms, event: event(&what, &mut words)? })
}

fn event(what: &str, words: &mut Words<'_>) -> Result<Event, String> {
    if let Some(turn) = Turn::ALL.into_iter().find(|turn| turn.word() == what) {
        return Ok(Event::Worker { worker: words.next("the worker")?, turn });
    }
    Ok(match what {
        "invoke" => Event::Invoked {
            call: words.call()?,
            key: words.next("the key")?,
            intent: words.named("intent")?,
            by: words.named("by")?,
            at: words.named("at")?,
        },
        "decide" => Event::Decided {
            call: words.call()?,
            key: words.next("the key")?,
            says: says(words.raw("says")?)?,
            by: words.named("by")?,
            at: words.named("at")?,
        },
        "effect" => Event::Effect {
            key: Some(words.next("the key")?).filter(|key| key != "-"),
            intent: words.maybe("intent").map(plain),
            object: words.named("object")?,
            token: words.maybe("token").map(plain),
        },
        "cut" | "healed" => Event::Network { between: words.next("between whom")?, is_cut: what == "cut" },
        "fault" => Event::Fault { at: words.next("where")?, what: words.named("what")? },
        "restored" => {
            let as_of = words.raw("as-of")?;
            Event::Restored { as_of_ms: as_of.parse().map_err(|_| format!("{as_of} is no moment"))? }
        }
        "quiet" => Event::Quiet,
        "rests" => {
            let (key, rest) = (words.next("the key")?, words.raw("as")?);
            let known = Rest::ALL.into_iter().find(|known| known.word() == rest);
            Event::Rests { key, rest: known.ok_or_else(|| format!("{rest} is no place to rest"))? }
        }
        _ => Event::Returned { call: words.call()?, said: said(what, words)? },
    })
}

fn said(what: &str, words: &Words<'_>) -> Result<Said, String> {
    Ok(match what {
        "ok" => Said::Ok(receipt(words.raw("receipt")?)?),
        "refused" => Said::Refused { code: words.named("code")? },
        "unknown" => {
            Said::Unknown { next: words.named("next")?, receipt: words.maybe("receipt").map(receipt).transpose()? }
        }
        "nothing-sent" => Said::NothingSent { code: words.named("code")? },
        "lost" => Said::Lost,
        other => return Err(format!("{other} is nothing that happens")),
    })
}

fn says(text: &str) -> Result<Says, String> {
    match (text, text.strip_prefix("happened:")) {
        (_, Some(object)) => Ok(Says::Happened(plain(object))),
        ("did-not-happen", _) => Ok(Says::DidNotHappen),
        ("send-again", _) => Ok(Says::SendAgain),
        _ => Err(format!("{text} is nothing that a person says")),
    }
}

fn receipt(text: &str) -> Result<Receipt, String> {
    let parts = text.split_once(PARTS).ok_or_else(|| format!("{text} has no digest"))?;
    Ok(Receipt { id: plain(parts.0), digest: plain(parts.1) })
}
