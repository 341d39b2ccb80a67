use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::clock::{Clock, SharedClock};
use hapax_core::protocol::Stamp;
use hapax_core::transport::{Gate, Request, Response, SharedTransport, Transport};
use hapax_core::words::Fault;
use secrecy::ExposeSecret;
use serde_json::Value;
use url::Url;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bug {
    FreshKey,
    FirstPageIsAll,
    SendsTwice,
    Retries,
    Follows,
    LostIsNotSent,
    QuotesSecrets,
}

struct Careless {
    below: SharedTransport,
    bug: Bug,
}

fn careless(below: SharedTransport, bug: Bug) -> SharedTransport {
    Arc::new(Careless { below, bug })
}

pub(super) fn fresh_key(below: SharedTransport) -> SharedTransport {
    careless(below, Bug::FreshKey)
}

pub(super) fn first_page_is_all(below: SharedTransport) -> SharedTransport {
    careless(below, Bug::FirstPageIsAll)
}

pub(super) fn sends_twice(below: SharedTransport) -> SharedTransport {
    careless(below, Bug::SendsTwice)
}

pub(super) fn retries(below: SharedTransport) -> SharedTransport {
    careless(below, Bug::Retries)
}

pub(super) fn follows(below: SharedTransport) -> SharedTransport {
    careless(below, Bug::Follows)
}

pub(super) fn lost_is_not_sent(below: SharedTransport) -> SharedTransport {
    careless(below, Bug::LostIsNotSent)
}

pub(super) fn quotes_secrets(below: SharedTransport) -> SharedTransport {
    careless(below, Bug::QuotesSecrets)
}

#[async_trait]
impl Transport for Careless {
    async fn ask(&self, base: &Url, request: Request, within: Duration) -> Result<Response, Fault> {
        let mut response = self.below.ask(base, request, within).await?;
        if self.bug == Bug::FirstPageIsAll {
            end_after_this_page(&mut response);
        }
        Ok(response)
    }

    async fn shoot(&self, base: &Url, mut request: Request, gate: Gate) -> Result<Response, Fault> {
        match self.bug {
            Bug::FreshKey => {
                // The usual names of a header with a key; an adapter sends no other of these.
                let is_key = |name: &str| name == "Idempotency-Key" || name.ends_with("-Request-Id");
                for (_, value) in request.headers.iter_mut().filter(|(name, _)| is_key(name)) {
                    *value = uuid::Uuid::new_v4().to_string();
                }
                self.below.shoot(base, request, gate).await
            }
            Bug::SendsTwice => {
                let _ = self.below.shoot(base, request.clone(), gate.clone()).await;
                self.below.shoot(base, request, gate).await
            }
            Bug::Retries => match self.below.shoot(base, request.clone(), gate.clone()).await {
                Err(Fault::Lost(_)) => self.below.shoot(base, request, gate).await,
                other => other,
            },
            Bug::Follows => {
                let response = self.below.shoot(base, request.clone(), gate.clone()).await?;
                let location = response.header("location").and_then(|there| Url::parse(there).ok());
                match location.filter(|_| (300..400).contains(&response.status)) {
                    Some(there) => {
                        request.path = there.path().to_owned();
                        self.below.shoot(base, request, gate).await
                    }
                    None => Ok(response),
                }
            }
            Bug::LostIsNotSent => self.below.shoot(base, request, gate).await.map_err(|fault| match fault {
                Fault::Lost(why) => Fault::NotSent(why),
                other => other,
            }),
            Bug::QuotesSecrets => {
                let secrets: Vec<String> =
                    request.secrets.iter().map(|(name, value)| format!("{name}: {}", value.expose_secret())).collect();
                self.below.shoot(base, request, gate).await.map_err(|fault| match fault {
                    Fault::Lost(why) => Fault::Lost(format!("{why} after {}", secrets.join(", "))),
                    other => other,
                })
            }
            Bug::FirstPageIsAll => self.below.shoot(base, request, gate).await,
        }
    }
}

/// Takes away whatever says that a list goes on: a header, a flag, a token, a link.
fn end_after_this_page(response: &mut Response) {
    response.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("link"));
    let Some(mut page) = response.json() else { return };
    let Some(members) = page.as_object_mut() else { return };
    for name in ["nextPageToken", "next_page_uri", "response_metadata", "paging", "next", "@odata.nextLink"] {
        members.remove(name);
    }
    // Duffel's cursor stands beside the list.
    if let Some(meta) = members.get_mut("meta").and_then(Value::as_object_mut) {
        meta.remove("after");
    }
    if let Some(goes_on) = members.get_mut("has_more") {
        *goes_on = Value::Bool(false);
    }
    response.body = page.to_string().into_bytes();
}

/// A clock that misses every jump: it stood still while the machine slept.
struct SleepBlind {
    below: SharedClock,
    seen: Mutex<(u64, u64)>,
}

pub(super) fn sleep_blind(below: SharedClock) -> SharedClock {
    let at = below.now().boot_ms;
    Arc::new(SleepBlind { below, seen: Mutex::new((at, 0)) })
}

#[async_trait]
impl Clock for SleepBlind {
    fn now(&self) -> Stamp {
        const JUMP_MS: u64 = 600_000;
        let now = self.below.now();
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let passed = now.boot_ms.saturating_sub(seen.0);
        if passed > JUMP_MS {
            seen.1 += passed;
        }
        seen.0 = now.boot_ms;
        let missed = seen.1;
        let wall_ms = now.wall_ms - i64::try_from(missed).unwrap_or(0);
        Stamp { wall_ms, boot_ms: now.boot_ms - missed, ..now }
    }

    async fn sleep(&self, ms: u64) {
        self.below.sleep(ms).await;
    }

    fn real(&self, ms: u64) -> Duration {
        self.below.real(ms)
    }

    fn is_stand_in_only(&self) -> bool {
        true
    }
}
