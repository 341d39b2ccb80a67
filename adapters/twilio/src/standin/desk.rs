use super::book::{Book, Call, Message};
use super::callbacks::Callback;
use super::fail::Fail;
use crate::callback::MARK;
use hapax_standin::{Effect, World};
use std::collections::BTreeMap;
use url::Url;

/// What an endpoint works with: one account's book, the world, and what is to be called back.
pub(super) struct Desk<'a> {
    pub(super) world: &'a World,
    pub(super) book: &'a mut Book,
    pub(super) account: &'a str,
    pub(super) owned: &'a [String],
    pub(super) is_on_trial: bool,
    pub(super) settles_after_ms: i64,
    pub(super) now_ms: i64,
    pub(super) callbacks: Vec<Callback>,
}

impl Desk<'_> {
    pub(super) fn message(&mut self, sid: &str) -> Result<&mut Message, Fail> {
        let found = self.book.messages.iter_mut().find(|message| message.sid == sid);
        found.ok_or_else(|| Fail::new(404, 20404, "The requested resource was not found"))
    }

    pub(super) fn call(&mut self, sid: &str) -> Result<&mut Call, Fail> {
        let found = self.book.calls.iter_mut().find(|call| call.sid == sid);
        found.ok_or_else(|| Fail::new(404, 20404, "The requested resource was not found"))
    }

    /// A new SID: a prefix and 32 hexadecimal digits.
    pub(super) fn sid(&self, prefix: &str) -> String {
        let digits: String = self.world.ids.next("", 16).bytes().skip(1).map(|byte| format!("{byte:02x}")).collect();
        format!("{prefix}{digits}")
    }

    /// Counts an effect on a message. It is called in the same step in which the state changes.
    pub(super) fn message_effect(&self, kind: &str, message: &Message) {
        let from = message.from.clone().or_else(|| message.service.clone());
        let about = [("to", Some(message.to.clone())), ("from", from), ("body", Some(message.body.clone()))];
        self.effect(kind, &message.sid, message.callback.as_deref(), about);
    }

    /// Counts a call.
    pub(super) fn call_effect(&self, call: &Call) {
        let about = [("to", Some(call.to.clone())), ("from", Some(call.from.clone()))];
        self.effect("call", &call.sid, call.callback.as_deref(), about);
    }

    fn effect<const N: usize>(
        &self,
        kind: &str,
        sid: &str,
        callback: Option<&str>,
        about: [(&str, Option<String>); N],
    ) {
        let mut metadata: BTreeMap<String, String> =
            about.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        metadata.extend(callback.and_then(mark_of).map(|mark| (MARK.to_owned(), mark)));
        self.world.effects.add(Effect {
            kind: kind.to_owned(),
            object: sid.to_owned(),
            account: self.account.to_owned(),
            metadata,
            at_ms: self.now_ms,
            ..Effect::default()
        });
    }

    /// Reports what has become of a message.
    pub(super) fn report_message(&mut self, sid: &str) {
        let account = self.account.to_owned();
        let Ok(message) = self.message(sid) else { return };
        let Some(url) = message.callback.clone() else { return };
        let mut fields = vec![
            ("MessageSid", message.sid.clone()),
            ("MessageStatus", message.status.to_owned()),
            ("To", message.to.clone()),
            ("From", message.from.clone().unwrap_or_default()),
            ("AccountSid", account),
            ("ApiVersion", "2010-04-01".to_owned()),
        ];
        fields.extend(message.error.map(|code| ("ErrorCode", code.to_string())));
        self.callbacks.push(Callback { url, fields });
    }

    /// Reports what has become of a call, if its maker wants to hear of this event.
    pub(super) fn report_call(&mut self, sid: &str, event: &str) {
        let account = self.account.to_owned();
        let Ok(call) = self.call(sid) else { return };
        let Some(url) = call.callback.clone().filter(|_| call.events.iter().any(|wanted| wanted == event)) else {
            return;
        };
        let fields = vec![
            ("CallSid", call.sid.clone()),
            ("CallStatus", call.status.to_owned()),
            ("To", call.to.clone()),
            ("From", call.from.clone()),
            ("AccountSid", account),
            ("ApiVersion", "2010-04-01".to_owned()),
        ];
        self.callbacks.push(Callback { url, fields });
    }

    /// Lets happen what time has brought about since the last request.
    pub(super) fn catch_up(&mut self) {
        let now = self.now_ms;
        let is_due = |due: &Option<(i64, &'static str)>| due.is_some_and(|(at, _)| at <= now);
        let messages: Vec<String> = self
            .book
            .messages
            .iter()
            .filter(|message| is_due(&message.due))
            .map(|message| message.sid.clone())
            .collect();
        for sid in messages {
            let Ok(message) = self.message(&sid) else { continue };
            if let Some((at, status)) = message.due.take() {
                message.status = status;
                message.sent_ms = Some(at);
                message.error = (status == "undelivered").then_some(30003);
                self.report_message(&sid);
            }
        }
        let calls: Vec<String> =
            self.book.calls.iter().filter(|call| is_due(&call.due)).map(|call| call.sid.clone()).collect();
        for sid in calls {
            let Ok(call) = self.call(&sid) else { continue };
            if let Some((at, status)) = call.due.take() {
                (call.status, call.started_ms) = (status, Some(at));
                self.report_call(&sid, "completed");
            }
        }
    }
}

/// Our mark in the query of a URL.
fn mark_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    url.query_pairs().find(|(name, _)| name == MARK).map(|(_, mark)| mark.into_owned())
}
