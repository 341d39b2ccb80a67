mod small_print;

use serde::{Deserialize, Serialize};

use super::{Absence, CellSpec, Class, Need, Repeat, Standing};

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
        exceptions: small_print::exceptions(spec, &standing, completion),
        assumes: small_print::assumptions(spec, met),
        belts: small_print::belts(spec, met),
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
                    "the provider itself prevents a second effect{}",
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

fn class(standing: &Standing) -> Class {
    match (standing.guards.is_empty(), standing.look) {
        (false, _) => Class::Native,
        (true, Some(_)) => Class::Query,
        (true, None) => Class::Human,
    }
}

fn completion(spec: &CellSpec, standing: &Standing, met: &dyn Fn(&Need) -> bool) -> Completion {
    let reads = standing.look.is_some();
    // A guard completes by resending only if the repeat tells the result, or a read by token does.
    let tells = [Repeat::Replays, Repeat::Returns, Repeat::Names, Repeat::Converges];
    let completing = spec
        .natives()
        .filter(|native| spec.relies_on(native, met))
        .filter(|native| reads || tells.contains(&native.repeat));
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
