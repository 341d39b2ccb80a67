//! A declaration held against a test server of one's own: what the server does is compared with what the file says, and
//! every difference names the line that is wrong.
//!
//! Direct checks send the example's requests themselves: one, the same again, two at once, the same key with other
//! arguments. Then intents go through the executor with the way to the server broken. What can't be waited for, such as
//! the life of a key, is said to be unchecked.

mod guard;
mod hand;
mod look;
mod trials;

use std::ops::Range;
use std::time::Duration;

use hapax_core::capability::Kind;
use hapax_core::cell::Credentials;
use hapax_core::protocol::Receipt;
use hapax_core::words::{Answer, Fault};

use crate::declaration::CellDeclaration;
use crate::{Declared, Problem};
use hand::{Hand, words};

/// The core's words for an error that isn't in the provider's envelope.
const NOT_ITS_OWN: &str = "not in the provider's own form";

/// How long a connection may take.
const CONNECTS_WITHIN: Duration = Duration::from_secs(5);

/// A test server, where effects cost nothing.
pub struct TestServer {
    /// Its address.
    pub base_url: url::Url,
    /// What it accepts.
    pub credentials: Credentials,
}

/// What one cell does at the server.
#[derive(Clone, Debug)]
pub struct Checked {
    /// `payments.pay`.
    pub cell: &'static str,
    /// Checks that the server stood.
    pub held: Vec<&'static str>,
    /// Checks that were not made, and why.
    pub not_made: Vec<(&'static str, String)>,
    /// What the server does otherwise than the file says.
    pub lies: Vec<Lie>,
}

/// Something that the server does otherwise than the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lie {
    /// The check that showed it.
    pub check: &'static str,
    /// The line that says otherwise, from 1.
    pub line: usize,
    /// What the line says, and what the server did.
    pub what: String,
}

/// What a check comes to.
enum Said {
    Held,
    NotMade(String),
    Lie(Range<usize>, String),
}

/// Holds every cell against the server. It makes some twenty effects a cell. `say` hears what is going on.
///
/// # Errors
/// A [`Problem`] where the declaration can't be played: a cell without an example, credentials that are
/// missing, a server that isn't there.
pub async fn check(
    declared: &Declared,
    server: &TestServer,
    say: &(dyn Fn(String) + Sync),
) -> Result<Vec<Checked>, Problem> {
    let cells = declared.integration.cells.iter().zip(declared.written().cells.values());
    let hands = cells.map(|(cell, written)| Hand::new(declared, cell.clone(), written, server));
    let hands = hands.collect::<Result<Vec<_>, _>>()?;
    listens(&server.base_url).await.map_err(|why| declared.problem(&(0..0), why))?;
    let mut checked = Vec::new();
    for (hand, written) in hands.iter().zip(declared.written().cells.values()) {
        let mut bench = Bench {
            declared,
            profile: written.profile.as_ref().map(toml::Spanned::span),
            checked: Checked::of(hand.spec().id),
            say,
        };
        bench.cell(hand, written, server).await;
        checked.push(bench.checked);
    }
    Ok(checked)
}

/// Whether somebody listens there, so that nobody waits for deadlines to learn that nobody does.
async fn listens(base_url: &url::Url) -> Result<(), String> {
    let (host, port) = (base_url.host_str().unwrap_or_default(), base_url.port_or_known_default().unwrap_or(0));
    let connected = tokio::time::timeout(CONNECTS_WITHIN, tokio::net::TcpStream::connect((host, port))).await;
    match connected {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(format!("nobody listens at {host}:{port} ({error})")),
        Err(_) => Err(format!("nobody listens at {host}:{port}")),
    }
}

impl Checked {
    fn of(cell: &'static str) -> Self {
        Self { cell, held: Vec::new(), not_made: Vec::new(), lies: Vec::new() }
    }
}

/// Where checks of one cell are noted.
struct Bench<'a> {
    declared: &'a Declared,
    /// Where the cell's profile stands, which says what the cell doesn't.
    profile: Option<Range<usize>>,
    checked: Checked,
    say: &'a (dyn Fn(String) + Sync),
}

impl Bench<'_> {
    async fn cell(&mut self, hand: &Hand, written: &CellDeclaration, server: &TestServer) {
        self.begin("one-request");
        let first = hand.intent();
        let receipt = match hand.send(&first).await {
            Answer::Happened(receipt) => receipt,
            other => {
                return self.note("one-request", no_success(written, &other));
            }
        };
        self.note("one-request", Said::Held);

        self.begin("look-lag");
        let (said, lag) = look::lag(hand, written, &first, &receipt).await;
        self.note("look-lag", said);
        self.note("look-finds-only-ours", look::finds_nothing(hand, written, &hand.intent()).await);
        self.begin("record");
        self.note("record", look::record(hand, written, &first, &receipt).await);
        self.begin("receipt");
        self.note("receipt", receipt_holds(hand, written).await);
        self.begin("ids-differ");
        self.note("ids-differ", ids_differ(hand, written, &receipt.id).await);
        self.begin("refused");
        self.note("refused", refused(self.declared, hand, written).await);
        self.guards(hand, written, &first, &receipt, lag).await;

        self.begin("the way to the server broken");
        for (name, said) in trials::play(hand, written, server, lag).await {
            self.note(name, said);
        }
        let why = "how far back the look sees, how long a request can still be acted on, and rows whose answers didn't \
                   come up can't be seen from here";
        self.note("horizon, settle, rows", Said::NotMade(why.to_owned()));
    }

    async fn guards(
        &mut self,
        hand: &Hand,
        written: &CellDeclaration,
        first: &hand::Intent,
        receipt: &Receipt,
        lag: Option<Duration>,
    ) {
        let Some(guard) = guard::of(written) else {
            let why = "the file says of nothing that it makes a second request harmless";
            return self.note("repeat", Said::NotMade(why.to_owned()));
        };
        self.begin("repeat");
        self.note("repeat", guard::repeat(hand, &guard, first, receipt, lag).await);
        self.begin("repeat-at-once");
        self.note("repeat-at-once", guard::at_once(hand, &guard).await);
        self.begin("repeat-with-other-arguments");
        self.note("repeat-with-other-arguments", guard::other_arguments(hand, &guard, written).await);
        self.note("failures", guard::failures(&guard));
        self.note("life", guard::life(&guard));
    }

    fn begin(&self, check: &str) {
        (self.say)(format!("{}: {check}", self.checked.cell));
    }

    fn note(&mut self, check: &'static str, said: Said) {
        match said {
            Said::Held => self.checked.held.push(check),
            Said::NotMade(why) => self.checked.not_made.push((check, why)),
            Said::Lie(span, what) => {
                let line = self.declared.page().line(&span);
                let is_of_profile = self.profile.as_ref() == Some(&span);
                let what = if is_of_profile { format!("{what}; that is what the profile says") } else { what };
                self.checked.lies.push(Lie { check, line, what });
            }
        }
    }
}

/// Why the answer to the example's request is no success, at the line that it is about.
fn no_success(written: &CellDeclaration, answer: &Answer<Receipt>) -> Said {
    let receipt = &written.receipt;
    let line = match answer {
        Answer::Unclear(Fault::Echo(_)) => receipt.echo.values().next().map(toml::Spanned::span),
        // Whatever was answered was a success, and the receipt can't be read from it.
        Answer::Unclear(Fault::Unread(_)) => receipt.id.as_ref().map(toml::Spanned::span),
        _ => None,
    };
    let why = format!("the example's request: {}", words(answer));
    Said::Lie(line.unwrap_or_else(|| written.request.path.span()), why)
}

/// Two intents are two effects, so they have two ids.
async fn ids_differ(hand: &Hand, written: &CellDeclaration, first: &str) -> Said {
    let Some(id) = written.receipt.id.as_ref().filter(|_| hand.spec().kind == Kind::DoOnce) else {
        return Said::NotMade("receipts hold no id that is each effect's own".to_owned());
    };
    match hand.send(&hand.intent()).await {
        Answer::Happened(receipt) if receipt.id != first => Said::Held,
        Answer::Happened(_) => Said::Lie(id.span(), "two intents got the same id".to_owned()),
        other => {
            Said::Lie(written.request.path.span(), format!("a second intent is not carried out: {}", words(&other)))
        }
    }
}

/// What a receipt keeps, and what an answer repeats, is in it. What is left out isn't compared, so it checks nothing.
async fn receipt_holds(hand: &Hand, written: &CellDeclaration) -> Said {
    if written.empty_success.is_some() {
        return Said::NotMade("a success has no body".to_owned());
    }
    let Answer::Happened(body) = hand.answer(&hand.intent()).await else {
        return Said::NotMade("a further intent got no success".to_owned());
    };
    let receipt = &hand.cell.receipt;
    let kept = receipt.keep.iter().map(|(name, path)| (path, written.receipt.keep.get(name)));
    let echoes = receipt.echo.iter().map(|(name, path, _)| (path, written.receipt.echo.get(name)));
    let mut absent = kept.chain(echoes).filter(|(path, _)| path.one(&body).is_none());
    match absent.next() {
        Some((path, Some(line))) => Said::Lie(line.span(), format!("the answer holds nothing at `{}`", path.as_str())),
        _ => Said::Held,
    }
}

/// What the example says is refused is refused, and read as that.
async fn refused(declared: &Declared, hand: &Hand, written: &CellDeclaration) -> Said {
    let refused = written.example.as_ref().and_then(|example| example.refused.as_ref());
    let (Some(refused), Some(intent)) = (refused, hand.refused()) else {
        return Said::NotMade("the example names nothing that is refused".to_owned());
    };
    match hand.send(&intent).await {
        Answer::Refused(..) => Said::Held,
        Answer::Unclear(Fault::Status(status, why)) if why.contains(NOT_ITS_OWN) => {
            let errors = &declared.written().errors;
            let line =
                errors.code.as_ref().or(errors.kind.as_ref()).map_or_else(|| refused.span(), toml::Spanned::span);
            Said::Lie(line, format!("an answer with status {status} holds no error where [errors] says"))
        }
        other => {
            Said::Lie(refused.span(), format!("the example says that it is refused, and it is not: {}", words(&other)))
        }
    }
}
