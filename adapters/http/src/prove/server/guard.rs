//! Whether what makes a second request harmless does.

use std::ops::Range;
use std::time::Duration;

use hapax_core::capability::{Meaning, Native, Repeat, Token, Twins, Window};
use hapax_core::protocol::Receipt;
use hapax_core::words::{Answer, Fault, Finding};
use toml::Spanned;

use super::Said;
use super::hand::{Hand, Intent, words};
use crate::declaration::{CellDeclaration, GuardDeclaration};

/// How often two are sent at once.
const ROUNDS: usize = 5;

/// The guard that a request carries, and what the file says of it.
pub(super) struct Guard<'a> {
    written: &'a Spanned<GuardDeclaration>,
    kind: Kind,
}

/// What it is. A cell may have a state besides a key or an id; then the token is what a request carries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Key,
    Id,
    State,
}

pub(super) fn of(written: &CellDeclaration) -> Option<Guard<'_>> {
    let guards = [(&written.key, Kind::Key), (&written.id, Kind::Id), (&written.state, Kind::State)];
    guards.into_iter().find_map(|(written, kind)| Some(Guard { written: written.as_ref()?, kind }))
}

impl Guard<'_> {
    fn field(&self) -> &str {
        &self.written.get_ref().field
    }

    /// The line of one statement, or of the whole guard where it isn't made.
    fn line<T>(&self, statement: Option<&Spanned<T>>) -> Range<usize> {
        statement.map_or_else(|| self.written.span(), Spanned::span)
    }

    /// The guard's own line.
    pub(super) fn line_of_all(&self) -> Range<usize> {
        self.written.span()
    }

    fn repeat(&self) -> Range<usize> {
        self.line(self.written.get_ref().repeat.as_ref())
    }

    fn native<'a>(&self, hand: &'a Hand) -> Option<&'a Native> {
        hand.spec().natives().find(|native| match native.token {
            Token::Key(_) => self.kind == Kind::Key,
            Token::ClientId(_) => self.kind == Kind::Id,
            Token::State(_) | Token::Handle(_) => self.kind == Kind::State,
        })
    }
}

/// The same request again.
pub(super) async fn repeat(
    hand: &Hand,
    guard: &Guard<'_>,
    first: &Intent,
    receipt: &Receipt,
    lag: Option<Duration>,
) -> Said {
    let Some(native) = guard.native(hand) else { return Said::NotMade("there is no guard".to_owned()) };
    let field = guard.field();
    let answer = hand.send(first).await;
    let said = match (native.repeat, &answer) {
        (_, Answer::Happened(second)) if second.id != receipt.id => {
            format!("a second request with the same {field} made another: {} and then {}", receipt.id, second.id)
        }
        // The answer is about what there is, whichever it says.
        (Repeat::Replays | Repeat::Returns | Repeat::Accepts | Repeat::Converges, Answer::Happened(_))
        | (Repeat::Refuses | Repeat::Names, Answer::Taken(..)) => return counted(hand, guard, first, lag).await,
        (Repeat::Refuses | Repeat::Names, Answer::Happened(_)) => {
            format!("a second request with the same {field} is to be refused, and it is carried out")
        }
        (Repeat::Refuses | Repeat::Names, other) => {
            format!("no row says that the refusal of a second request means `taken`: {}", words(other))
        }
        (_, other) => format!("a second request with the same {field} is to get a success: {}", words(other)),
    };
    Said::Lie(guard.repeat(), said)
}

/// Looks whether there is one effect, where a look can tell.
async fn counted(hand: &Hand, guard: &Guard<'_>, first: &Intent, lag: Option<Duration>) -> Said {
    let Some(lag) = lag else { return Said::Held };
    tokio::time::sleep(lag).await;
    match hand.look(first).await {
        Ok(Finding::Several(all)) => {
            let why = format!("two requests with the same {} made {} effects", guard.field(), all.len());
            Said::Lie(guard.repeat(), why)
        }
        _ => Said::Held,
    }
}

/// Two requests of one intent at the same time; a few times, for they may miss each other.
pub(super) async fn at_once(hand: &Hand, guard: &Guard<'_>) -> Said {
    if guard.kind == Kind::State {
        return Said::NotMade("two at once want the same state".to_owned());
    }
    if guard.native(hand).is_none_or(|native| native.twins != Twins::OneWins) {
        return Said::NotMade("the file says that both of two at once may pass".to_owned());
    }
    for _ in 0..ROUNDS {
        if let Err((line, why)) = twins(hand, guard).await {
            return Said::Lie(line, why);
        }
    }
    Said::Held
}

async fn twins(hand: &Hand, guard: &Guard<'_>) -> Result<(), (Range<usize>, String)> {
    let intent = hand.intent();
    let (one, other) = tokio::join!(hand.send(&intent), hand.send(&intent));
    let line = guard.line(guard.written.get_ref().twins.as_ref());
    let field = guard.field();
    let why = match (&one, &other) {
        (Answer::Happened(one), Answer::Happened(other)) if one.id != other.id => {
            format!("of two requests with the same {field} at once both passed: {} and {}", one.id, other.id)
        }
        (Answer::Happened(_), Answer::Happened(_) | Answer::Taken(..) | Answer::NotDone(..))
        | (Answer::Taken(..) | Answer::NotDone(..), Answer::Happened(_)) => return Ok(()),
        (Answer::Happened(_), loser) | (loser, Answer::Happened(_)) => {
            format!("no row says what the loser of two at once gets: {}", words(loser))
        }
        _ => format!("neither of two at once is carried out: {}; {}", words(&one), words(&other)),
    };
    Err((line, why))
}

/// The token of one intent, with other arguments.
pub(super) async fn other_arguments(hand: &Hand, guard: &Guard<'_>, written: &CellDeclaration) -> Said {
    if guard.kind == Kind::State {
        return Said::NotMade("other values are another state".to_owned());
    }
    let (intent, field) = (hand.intent(), guard.field());
    let taken = written.rows.iter().find(|row| *row.means.get_ref() == Meaning::Taken);
    let line = taken.map_or_else(|| guard.written.span(), |row| row.means.span());
    let receipt = match hand.send(&intent).await {
        Answer::Happened(receipt) => receipt,
        other => return Said::NotMade(format!("its own first request is not carried out: {}", words(&other))),
    };
    match hand.send(&hand.reused(&intent)).await {
        Answer::Happened(other) if guard.kind == Kind::Key && other.id == receipt.id && taken.is_some() => {
            let why = format!("a spent {field} with other arguments got the first answer, so no row for it came up");
            Said::NotMade(why)
        }
        Answer::Happened(other) if guard.kind == Kind::Key && other.id == receipt.id => Said::Held,
        Answer::Happened(_) => {
            let why = format!("a request with a spent {field} and other arguments is carried out as another one");
            Said::Lie(line, why)
        }
        // The refusal of this request; but the file knows one that means more.
        Answer::Refused(refusal, _) if taken.is_some() => {
            let why =
                format!("a spent {field} with other arguments gets {}, which no row takes for `taken`", refusal.code);
            Said::Lie(line, why)
        }
        // The first one's answer, which is noticed by what it repeats.
        Answer::Unclear(Fault::Echo(_)) | Answer::Taken(..) | Answer::Refused(..) | Answer::NotDone(..) => Said::Held,
        other => {
            let why = format!("no row says what a spent {field} with other arguments gets: {}", words(&other));
            Said::Lie(guard.written.span(), why)
        }
    }
}

/// A server can't be told to fail.
pub(super) fn failures(guard: &Guard<'_>) -> Said {
    let why = match guard.written.get_ref().failures.as_ref() {
        Some(_) => format!("a server can't be told to fail, so what that leaves of {} isn't seen", guard.field()),
        None => "the file says nothing of what a failure leaves".to_owned(),
    };
    Said::NotMade(why)
}

/// What nobody waits for.
pub(super) fn life(guard: &Guard<'_>) -> Said {
    let life = guard.written.get_ref().life.as_ref();
    let words = match life.map(|life| crate::spec::window(*life.get_ref())) {
        Some(Window::AtLeast(life)) => humantime::format_duration(life).to_string(),
        Some(Window::Ever) => "for ever".to_owned(),
        _ => return Said::NotMade("the file promises no life".to_owned()),
    };
    Said::NotMade(format!("that {} is remembered {words} can't be waited for", guard.field()))
}
