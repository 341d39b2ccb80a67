use std::fmt;
use std::ops::AddAssign;

use crate::history::{Event, History, Said, Turn};

/// What runs add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Histories.
    pub histories: usize,
    /// Keys that somebody called with.
    pub keys: usize,
    /// Calls, decisions included.
    pub calls: usize,
    /// Calls that were told that it happened.
    pub oks: usize,
    /// Calls that were refused.
    pub refused: usize,
    /// Calls that were told that it isn't known.
    pub unknown: usize,
    /// Calls that were told that nothing was sent.
    pub not_sent: usize,
    /// Calls whose worker died.
    pub lost: usize,
    /// Decisions of people.
    pub decisions: usize,
    /// Effects at providers.
    pub effects: usize,
    /// Workers killed.
    pub kills: usize,
    /// Workers stopped.
    pub pauses: usize,
    /// Networks cut.
    pub cuts: usize,
    /// Faults given to providers and proxies.
    pub faults: usize,
    /// Ledgers put back.
    pub restores: usize,
    /// Rules that were broken.
    pub violations: usize,
    /// Runs that were disturbed and broke a rule, so that they show nothing.
    pub disturbed: usize,
}

impl Figures {
    /// Of one history.
    pub fn of(history: &History) -> Self {
        let mut figures = Self { histories: 1, keys: history.keys().len(), ..Self::default() };
        for entry in &history.entries {
            figures.count(&entry.event);
        }
        // All workers are killed in the end, which breaks nothing.
        let quiet = history.entries.iter().skip_while(|entry| entry.event != Event::Quiet);
        let is_kill = |event: &Event| matches!(event, Event::Worker { turn: Turn::Killed, .. });
        figures.kills -= quiet.filter(|entry| is_kill(&entry.event)).count();
        figures
    }

    fn count(&mut self, event: &Event) {
        let counter = match event {
            Event::Invoked { .. } => &mut self.calls,
            Event::Decided { .. } => {
                self.calls += 1;
                &mut self.decisions
            }
            Event::Returned { said, .. } => match said {
                Said::Ok(_) => &mut self.oks,
                Said::Refused { .. } => &mut self.refused,
                Said::Unknown { .. } => &mut self.unknown,
                Said::NothingSent { .. } => &mut self.not_sent,
                Said::Lost => &mut self.lost,
            },
            Event::Effect { .. } => &mut self.effects,
            Event::Worker { turn: Turn::Killed, .. } => &mut self.kills,
            Event::Worker { turn: Turn::Paused, .. } => &mut self.pauses,
            Event::Network { is_cut: true, .. } => &mut self.cuts,
            Event::Fault { .. } => &mut self.faults,
            Event::Restored { .. } => &mut self.restores,
            _ => return,
        };
        *counter += 1;
    }
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.histories += other.histories;
        self.keys += other.keys;
        self.calls += other.calls;
        self.oks += other.oks;
        self.refused += other.refused;
        self.unknown += other.unknown;
        self.not_sent += other.not_sent;
        self.lost += other.lost;
        self.decisions += other.decisions;
        self.effects += other.effects;
        self.kills += other.kills;
        self.pauses += other.pauses;
        self.cuts += other.cuts;
        self.faults += other.faults;
        self.restores += other.restores;
        self.violations += other.violations;
        self.disturbed += other.disturbed;
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { histories, keys, calls, oks, refused, unknown, not_sent, lost, decisions, .. } = self;
        let Self { effects, kills, pauses, cuts, faults, restores, violations, disturbed, .. } = self;
        write!(
            f,
            "{histories} histories, {keys} keys, {calls} calls ({oks} ok, {refused} refused, {unknown} unknown, \
             {not_sent} nothing sent, {lost} lost, {decisions} decisions), {effects} effects, {kills} kills, \
             {pauses} pauses, {cuts} cuts, {faults} faults, {restores} restores, {violations} violations, \
             {disturbed} disturbed"
        )
    }
}
