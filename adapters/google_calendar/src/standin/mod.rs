//! A stand-in for Google Calendar: calendars with events, and the token endpoint.
//!
//! It behaves as Google's documents say (`FAILURE_MODES.md` lists them), keeps its state in memory, counts what was done
//! and can be told to break. Effects are of the kinds `create_event`, with its private properties among their metadata,
//! `update_event` and `delete_event`.
//!
//! That an id is taken is not noticed within two seconds, as Google doesn't guarantee it. A title with the word `refused`
//! is 400, an event with the word `locked` in its title can't be deleted (403), and a calendar whose id begins with
//! `missing` is none. Told to ignore its key, it creates a further event under an id of its own where one is taken, and
//! makes changes whatever their condition.

mod event;
mod events;
mod fail;
mod oauth;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;

use event::Event;
use fail::Fail;
use hapax_standin::{Api, Collection, IssuedTokens, Reply, Request, Routes, Server, Service, World};

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("access_token", "ya29.standin")];

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
///
/// # Errors
/// The port can't be had.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Google Calendar in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<GoogleCalendar>);

#[derive(Default)]
struct GoogleCalendar {
    calendars: HashMap<String, Collection<Event>>,
    tokens: IssuedTokens,
}

impl StandIn {
    /// A stand-in whose calendars are empty, which accepts every token that looks like Google's.
    pub fn new(world: World) -> Self {
        Self(Service::new(world, GoogleCalendar::default()))
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to steer what the owner does.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }

    /// Takes back every token that was issued, as its owner may. Tokens made up by a test stay good.
    pub fn revoke(&self) {
        self.0.state().tokens.revoke_all();
    }

    /// Google purges what was deleted in this calendar.
    pub fn purge(&self, calendar: &str) {
        if let Some(events) = self.0.state().calendars.get_mut(calendar) {
            let gone: Vec<String> =
                events.iter().filter(|event| event.cancelled).map(|event| event.id.clone()).collect();
            gone.iter().for_each(|id| drop(events.remove(id)));
        }
    }
}

impl GoogleCalendar {
    /// The calendar in the path; every one is there but those that are missing.
    fn calendar(&mut self, id: &str) -> Result<&mut Collection<Event>, Fail> {
        if id.starts_with("missing") {
            return Err(Fail::not_found());
        }
        Ok(self.calendars.entry(id.to_owned()).or_default())
    }
}

impl Api for GoogleCalendar {
    fn routes() -> Routes<Self> {
        const EVENTS: &str = "/calendar/v3/calendars/{calendar}/events";
        const ONE: &str = "/calendar/v3/calendars/{calendar}/events/{event}";
        Routes::new()
            .open("POST", "/token", oauth::issue)
            .post(EVENTS, events::create)
            .get(EVENTS, events::list)
            .get(ONE, events::show)
            .acting("PATCH", ONE, events::change)
            .acting("DELETE", ONE, events::delete)
    }

    fn admit(&mut self, request: &Request, world: &World) -> Result<String, Reply> {
        if self.knows(request, world.now_ms()) { Ok("me".to_owned()) } else { Err(Self::error(401, None)) }
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        match status {
            502 | 504 => Reply::gateway(status),
            _ => Fail::usual(status, code).into(),
        }
    }

    fn no_route(_request: &Request, _allowed: &[&str]) -> Reply {
        Fail::not_found().into()
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}
