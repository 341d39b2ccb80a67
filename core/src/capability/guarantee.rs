use serde::{Deserialize, Serialize};

use super::{
    Absence, CellSpec, Class, Failures, GuardKind, Meaning, Native, Need, Repeat, Standing, Sure, Token, Window,
};

/// What a ladder amounts to, derived, never typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guarantee {
    /// Kind of the first rung that holds.
    pub class: Class,
    /// First half: what keeps a second effect away, in the order in which it applies.
    pub second_effect: Vec<(SecondEffect, Lasting)>,
    /// Second half: how a lost answer is completed.
    pub completion: Completion,
    /// Where a person decides all the same, although it is completed by itself otherwise.
    pub exceptions: Vec<String>,
    /// What is assumed rather than documented.
    pub assumes: Vec<String>,
    /// Guards that are sent along and not relied on.
    pub belts: Vec<String>,
}

/// How long a half of the guarantee lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lasting {
    /// So many seconds from the first departure.
    Seconds(u64),
    /// Without end.
    Ever,
}

/// What keeps a second effect away, weakest promise first.
///
/// `Withheld` is the safest thing to do and the least that can be promised about completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecondEffect {
    /// Never a second request without a person.
    Withheld,
    /// Absence suggests; only where a policy allows it.
    Likely,
    /// A query whose absence proves.
    Proved,
    /// The provider's own token.
    Enforced,
}

/// How an operation whose answer was lost is completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Completion {
    /// By itself.
    Automatic,
    /// By itself within so many seconds; later if it is found.
    AutomaticWithin(u64),
    /// By itself if it is found.
    AutomaticIfFound,
    /// A person.
    NeedsPerson,
}

impl Completion {
    /// Strength, for comparing with a requirement: higher is more.
    pub const fn rank(self) -> u8 {
        match self {
            Self::NeedsPerson => 0,
            Self::AutomaticIfFound => 1,
            Self::AutomaticWithin(_) => 2,
            Self::Automatic => 3,
        }
    }
}

/// The guarantee of a cell where `met` says which needs hold and `likely` what policy accepts.
pub fn guarantee(spec: &CellSpec, met: &dyn Fn(&Need) -> bool, likely: bool) -> Guarantee {
    let standing = spec.standing(met, SecondEffect::Withheld, likely);
    let enforced = standing
        .guards
        .iter()
        .map(|guard| if guard.then_refuses { None } else { guard.floor_ms })
        .max_by_key(|floor| floor.unwrap_or(u64::MAX));
    let absence = standing.look.map_or(Absence::Nothing, |look| look.absence);
    let mut second_effect = Vec::new();
    if let Some(floor) = enforced {
        second_effect.push((SecondEffect::Enforced, lasting(floor)));
    }
    if enforced != Some(None) {
        second_effect.push(match (absence, standing.likely) {
            (Absence::Proves, _) => (SecondEffect::Proved, lasting(standing.look.and_then(|look| look.horizon_ms))),
            (Absence::Suggests, true) => {
                (SecondEffect::Likely, lasting(standing.look.and_then(|look| look.horizon_ms)))
            }
            _ => (SecondEffect::Withheld, Lasting::Ever),
        });
    }
    let completion = completion(spec, &standing, met);
    Guarantee {
        class: class(&standing),
        second_effect,
        completion,
        exceptions: exceptions(spec, &standing, completion),
        assumes: assumptions(spec, met),
        belts: belts(spec, met),
    }
}

impl Guarantee {
    /// The exceptions as the end of a sentence; empty if there are none.
    fn except(&self) -> String {
        match self.exceptions.as_slice() {
            [] => String::new(),
            exceptions => format!(", except where {}: then a person decides", exceptions.join(", or ")),
        }
    }

    /// The first half at its best.
    pub fn best(&self) -> SecondEffect {
        self.second_effect.first().map_or(SecondEffect::Withheld, |(effect, _)| *effect)
    }

    /// The guarantee as a sentence for people.
    pub fn sentence(&self) -> String {
        let halves: Vec<String> = self
            .second_effect
            .iter()
            .map(|(effect, lasts)| match effect {
                SecondEffect::Enforced => format!(
                    "the provider itself refuses a second effect{}",
                    span(*lasts, " for at least ", " for good")
                ),
                SecondEffect::Proved => format!(
                    "hapax sends again only after the provider's records prove that nothing happened{}",
                    span(*lasts, ", looking back ", "")
                ),
                SecondEffect::Likely => {
                    "hapax sends again when the provider's records suggest that nothing happened, as your policy allows"
                        .to_owned()
                }
                SecondEffect::Withheld => "hapax never sends a second request without a person".to_owned(),
            })
            .collect();
        let completion = match self.completion {
            Completion::Automatic => "a lost answer is settled by itself".to_owned(),
            Completion::AutomaticWithin(seconds) => {
                format!("a lost answer is settled by itself within {}; later only if it is found", words(seconds))
            }
            Completion::AutomaticIfFound => {
                "a lost answer is settled by itself if the effect is found, otherwise a person decides".to_owned()
            }
            Completion::NeedsPerson => "after a lost answer a person decides".to_owned(),
        };
        let mut text = format!("{}; {completion}{}.", halves.join(", afterwards "), self.except());
        if let Some(first) = text.get(..1) {
            let upper = first.to_uppercase();
            text.replace_range(..1, &upper);
        }
        text
    }
}

/// Cases in which a person decides although the completion says that it goes by itself: they follow
/// from the same facts, and a promise that left them out would be too strong.
fn exceptions(spec: &CellSpec, standing: &Standing, completion: Completion) -> Vec<String> {
    let mut exceptions = Vec::new();
    // Where what isn't found is a person's in any case, there is nothing to except.
    if matches!(completion, Completion::NeedsPerson | Completion::AutomaticIfFound) {
        return exceptions;
    }
    // What is adrift is neither sent again nor closed before patience is over; a stated time for
    // repairs ends the doubt. A burnt key is replaced, under the protection of a stronger token.
    if spec.repairs.is_none() && spec.answers.iter().any(|row| row.means == Meaning::Adrift) {
        exceptions.push(format!(
            "the provider answers that it doesn't know itself ({}) and the effect is not found",
            adrift(spec)
        ));
    }
    // Where a repeat of a spent token tells nothing, only the look tells by what it was spent.
    let is_silent = |repeat| matches!(repeat, Repeat::Refuses | Repeat::Accepts);
    let absence = standing.look.map_or(Absence::Nothing, |look| look.absence);
    let silent = |is_it: &dyn Fn(&Native) -> bool| {
        absence != Absence::Proves && spec.natives().any(|native| is_silent(native.repeat) && is_it(native))
    };
    if silent(&Native::is_handle) {
        exceptions.push("the handle turns out to be spent and the effect is not found".to_owned());
    }
    if silent(&|native| matches!(native.token, Token::ClientId(_))) {
        exceptions.push("the id turns out to be taken and the effect is not found".to_owned());
    }
    // A version that is captured once is also spent by what others change.
    if silent(&|native| matches!(native.token, Token::State(name) if spec.notes.contains(&name))) {
        exceptions.push("somebody else changes it after its version was noted and it is not found as asked".to_owned());
    }
    // A key of which a server error leaves nothing, or nobody says what, is not relied on after one.
    let is_kept = |failures| matches!(failures, Failures::Kept | Failures::Burnt);
    let forgets = standing.guards.iter().all(|guard| guard.kind == GuardKind::Key && !is_kept(guard.failures));
    if forgets && !standing.guards.is_empty() && absence != Absence::Proves {
        exceptions.push("the provider answers with a server error and the effect is not found".to_owned());
    }
    exceptions
}

/// The answers by which a provider says that it doesn't know itself.
fn adrift(spec: &CellSpec) -> String {
    let rows = spec.answers.iter().filter(|row| row.means == Meaning::Adrift);
    let mut statuses: Vec<String> = Vec::new();
    for row in rows {
        let status = if row.status == 0 { "any error".to_owned() } else { format!("status {}", row.status) };
        if !statuses.contains(&status) {
            statuses.push(status);
        }
    }
    statuses.join(", ")
}

fn class(standing: &Standing) -> Class {
    match (standing.guards.is_empty(), standing.look) {
        (false, _) => Class::Native,
        (true, Some(_)) => Class::Query,
        (true, None) => Class::Human,
    }
}

fn completion(spec: &CellSpec, standing: &Standing, met: &dyn Fn(&Need) -> bool) -> Completion {
    let reads = standing.look.is_some();
    let settle = spec.resend_settle();
    // A guard completes by resending only if the repeat tells the result, or a read by token does.
    let completing = spec
        .natives()
        .filter(|native| native.is_rung(spec.answers_within, settle) && native.needs.iter().all(met))
        .filter(|native| {
            reads || matches!(native.repeat, Repeat::Replays | Repeat::Returns | Repeat::Names | Repeat::Converges)
        });
    let longest = completing.map(|native| native.life.floor.floor_ms()).max_by_key(|floor| floor.unwrap_or(u64::MAX));
    match (longest, standing.look.map(|look| look.absence)) {
        (Some(None), _) | (_, Some(Absence::Proves)) => Completion::Automatic,
        (Some(Some(floor)), _) => Completion::AutomaticWithin(floor / 1000),
        (None, Some(Absence::Suggests)) if standing.likely => Completion::Automatic,
        (None, Some(_)) => Completion::AutomaticIfFound,
        (None, None) if spec.queries().any(|query| query.told && query.needs.iter().all(met)) => {
            Completion::AutomaticIfFound
        }
        (None, None) => Completion::NeedsPerson,
    }
}

fn assumptions(spec: &CellSpec, met: &dyn Fn(&Need) -> bool) -> Vec<String> {
    let mut assumes = Vec::new();
    if spec.settle_source.sure == Sure::Presumed {
        assumes.push(format!(
            "a request sent by its deadline is acted on within {} after it, or never (presumed)",
            words(spec.settle.as_secs())
        ));
    }
    if spec.can_be_adrift() && spec.repairs.is_none() {
        assumes.push(format!(
            "the provider repairs what it left adrift within {} (presumed: hapax's patience)",
            words(spec.patience.as_secs())
        ));
    }
    for native in spec.natives().filter(|native| native.life.floor == Window::Unstated && native.needs.iter().all(met))
    {
        let _ = native;
        assumes.push(format!(
            "the key lives for one retry loop, {} (presumed: its life is not stated)",
            words(Window::RETRY_LOOP.as_secs())
        ));
    }
    assumes
}

fn belts(spec: &CellSpec, met: &dyn Fn(&Need) -> bool) -> Vec<String> {
    spec.natives()
        .filter(|native| !native.is_rung(spec.answers_within, spec.resend_settle()) || !native.needs.iter().all(met))
        .map(|native| match native.token {
            Token::Key(field) | Token::ClientId(field) => field.name.to_owned(),
            Token::Handle(name) | Token::State(name) => name.to_owned(),
        })
        .collect()
}

fn lasting(floor_ms: Option<u64>) -> Lasting {
    floor_ms.map_or(Lasting::Ever, |floor| Lasting::Seconds(floor / 1000))
}

fn span(lasts: Lasting, before: &str, ever: &str) -> String {
    match lasts {
        Lasting::Seconds(seconds) => format!("{before}{}", words(seconds)),
        Lasting::Ever => ever.to_owned(),
    }
}

/// A number of seconds as people say it.
pub(crate) fn words(seconds: u64) -> String {
    match seconds {
        0 => "no time".to_owned(),
        s if s % 86_400 == 0 => plural(s / 86_400, "day"),
        s if s % 3_600 == 0 => plural(s / 3_600, "hour"),
        s if s % 60 == 0 => plural(s / 60, "minute"),
        s => plural(s, "second"),
    }
}

fn plural(count: u64, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// The guarantee at its best: every need met, policy at its default. What `matrix.toml` holds.
impl CellSpec {
    /// The published guarantee, and the needs that buy it.
    pub fn published(&self) -> (Guarantee, Vec<Need>) {
        let mut needs: Vec<Need> = Vec::new();
        for need in self.natives().flat_map(|native| native.needs).chain(self.queries().flat_map(|query| query.needs)) {
            if !needs.contains(need) {
                needs.push(*need);
            }
        }
        (guarantee(self, &|_| true, false), needs)
    }
}
