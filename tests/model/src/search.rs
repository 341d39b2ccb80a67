use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::time::Instant;

/// What happened between two states, in words, and to which request or person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The words.
    pub words: &'static str,
    /// The number of the request, worker or tick that they speak of.
    pub about: u8,
}

/// Something that can be searched exhaustively.
pub trait Model {
    /// A state of the whole world. Two equal states have the same future.
    type State: Copy + Hash;

    /// Where every run begins.
    fn start(&mut self) -> Self::State;

    /// Everything that can happen next. The order must depend on the state alone, because runs are
    /// kept as the numbers of their steps.
    fn steps(&mut self, at: &Self::State, out: &mut Vec<(Step, Self::State)>);

    /// What is wrong with a state, or with the step that led to it.
    fn judge(&self, before: &Self::State, after: &Self::State) -> Option<&'static str>;

    /// Whether the intent is taken care of here: final, or in front of a person.
    fn ended(&mut self, at: &Self::State) -> bool;

    /// Which interesting things are true here, a bit for each.
    fn seen(&self, at: &Self::State) -> u64;

    /// The state in words, for people who read a run.
    fn words(&self, at: &Self::State) -> String;
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Report {
    /// How many states were reached.
    pub states: usize,
    /// How many steps between them.
    pub steps: u64,
    /// Whether every reachable state was looked at.
    pub complete: bool,
    /// Which interesting things were true somewhere.
    pub seen: u64,
    /// The shortest run that breaks an invariant.
    pub broken: Option<Run>,
    /// How long the search took.
    pub seconds: f32,
}

/// A run in readable words.
#[derive(Clone, Debug)]
pub struct Run {
    /// What is wrong at its end.
    pub why: String,
    /// Its steps, each with the state that it leads to.
    pub lines: Vec<String>,
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.why)?;
        self.lines.iter().try_for_each(|line| writeln!(f, "    {line}"))
    }
}

/// Searches breadth first, so that the first run that breaks something is a shortest one, until
/// everything was seen or more than `limit` states were.
///
/// The states themselves are kept for the present and the next level only; what was visited is
/// remembered by hashes of 128 bits.
pub fn explore<M: Model>(model: &mut M, limit: usize) -> Report {
    let clock = started();
    let mut search = Search::default();
    let start = model.start();
    search.index.insert(hash(&start), 0);
    search.from.push((0, 0));
    let mut level = vec![start];
    let mut out = Vec::new();
    while !level.is_empty() && search.from.len() <= limit {
        let mut later = Vec::new();
        for at in &level {
            if let Some(run) = search.expand(model, at, &mut out, &mut later) {
                return search.report(Some(run), clock);
            }
            if search.from.len() > limit {
                break;
            }
        }
        level = later;
    }
    let stuck = search.stuck().map(|state| search.run(model, state, None, "nothing leads to an end or to a person"));
    search.report(stuck, clock)
}

#[expect(clippy::disallowed_methods, reason = "how long a search took is for the table alone")]
fn started() -> Instant {
    Instant::now()
}

#[derive(Default)]
struct Search {
    /// Hash of a state to its number, in the order of discovery.
    index: HashMap<Print, u32, BuildHasherDefault<Already>>,
    /// The state before, and which of its steps led here.
    from: Vec<(u32, u16)>,
    /// Whether the intent is taken care of in a state; one entry for each expanded state.
    ended: Vec<bool>,
    /// Where the steps of each expanded state lead, one after the other.
    targets: Vec<u32>,
    /// Where the targets of each expanded state end.
    bounds: Vec<usize>,
    seen: u64,
}

impl Search {
    fn expand<M: Model>(
        &mut self,
        model: &mut M,
        at: &M::State,
        out: &mut Vec<(Step, M::State)>,
        later: &mut Vec<M::State>,
    ) -> Option<Run> {
        let number = u32::try_from(self.ended.len()).unwrap_or(u32::MAX);
        self.seen |= model.seen(at);
        let ended = model.ended(at);
        self.ended.push(ended);
        out.clear();
        model.steps(at, out);
        for (position, (_, after)) in out.iter().enumerate() {
            let fresh = u32::try_from(self.from.len()).unwrap_or(u32::MAX);
            let target = *self.index.entry(hash(after)).or_insert(fresh);
            if target == fresh {
                self.from.push((number, u16::try_from(position).unwrap_or(u16::MAX)));
                later.push(*after);
            }
            self.targets.push(target);
            if let Some(why) = model.judge(at, after) {
                return Some(self.run(model, number, Some(position), why));
            }
        }
        self.bounds.push(self.targets.len());
        None
    }

    /// A state from which nothing leads to an end: walks back from the ended ones over all steps.
    /// States that were not expanded count as ended.
    fn stuck(&self) -> Option<u32> {
        let (all, expanded) = (self.from.len(), self.bounds.len());
        let mut starts = vec![0u32; all + 1];
        for target in &self.targets {
            starts[*target as usize + 1] += 1;
        }
        for state in 0..all {
            starts[state + 1] += starts[state];
        }
        let mut fill = starts.clone();
        let mut back = vec![0u32; self.targets.len()];
        let mut first = 0;
        for (state, end) in self.bounds.iter().enumerate() {
            for target in &self.targets[first..*end] {
                let slot = &mut fill[*target as usize];
                back[*slot as usize] = u32::try_from(state).unwrap_or(u32::MAX);
                *slot += 1;
            }
            first = *end;
        }
        let mut fine: Vec<bool> = (0..all).map(|state| state >= expanded || self.ended[state]).collect();
        let mut todo: Vec<usize> = (0..all).filter(|state| fine[*state]).collect();
        while let Some(state) = todo.pop() {
            for before in &back[starts[state] as usize..starts[state + 1] as usize] {
                if !fine[*before as usize] {
                    fine[*before as usize] = true;
                    todo.push(*before as usize);
                }
            }
        }
        fine.iter().position(|fine| !fine).and_then(|state| u32::try_from(state).ok())
    }

    /// The run to a state, and one step further if a step is given.
    fn run<M: Model>(&self, model: &mut M, state: u32, further: Option<usize>, why: &str) -> Run {
        let mut steps: Vec<usize> = further.into_iter().collect();
        let mut state = state;
        while state != 0 {
            let (before, step) = self.from[state as usize];
            steps.push(step as usize);
            state = before;
        }
        let mut at = model.start();
        let mut out = Vec::new();
        let mut lines = Vec::new();
        for position in steps.into_iter().rev() {
            out.clear();
            model.steps(&at, &mut out);
            let (step, after) = out[position];
            at = after;
            lines.push(format!("{:<44} {}", format!("{} {}", step.words, step.about), model.words(&at)));
        }
        Run { why: why.to_owned(), lines }
    }

    fn report(&self, broken: Option<Run>, clock: Instant) -> Report {
        Report {
            states: self.from.len(),
            steps: self.targets.len() as u64,
            complete: broken.is_none() && self.bounds.len() == self.from.len(),
            seen: self.seen,
            broken,
            seconds: clock.elapsed().as_secs_f32(),
        }
    }
}

/// The hash of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Print([u64; 2]);

impl Hash for Print {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0]);
    }
}

fn hash(state: &impl Hash) -> Print {
    let mut twin = Twin { lanes: [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344], part: 0, filled: 0 };
    state.hash(&mut twin);
    twin.close()
}

/// Two independent multiplicative hashes of 64 bits over the same bytes.
struct Twin {
    lanes: [u64; 2],
    part: u64,
    filled: u32,
}

impl Twin {
    fn mix(&mut self, word: u64) {
        const KEYS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f];
        for (lane, key) in self.lanes.iter_mut().zip(KEYS) {
            let wide = u128::from(*lane ^ word) * u128::from(key);
            *lane = (wide as u64) ^ ((wide >> 64) as u64).rotate_left(23) ^ lane.rotate_left(41);
        }
    }

    fn close(mut self) -> Print {
        let (part, filled) = (self.part, self.filled);
        self.mix(part);
        self.mix(u64::from(filled) + 1);
        self.mix(0);
        Print(self.lanes)
    }
}

impl Hasher for Twin {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u8(*byte);
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.part |= u64::from(byte) << (8 * self.filled);
        self.filled += 1;
        if self.filled == 8 {
            let part = std::mem::take(&mut self.part);
            self.filled = 0;
            self.mix(part);
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(u64::from(word) | 1 << 40);
    }

    fn write_usize(&mut self, _: usize) {
        // The length of an array, the same in every state.
    }

    fn write_isize(&mut self, word: isize) {
        // The number of a variant: always small.
        self.write_u8(word as u8);
    }

    fn finish(&self) -> u64 {
        self.lanes[0]
    }
}

/// The keys are hashes already.
#[derive(Default)]
struct Already(u64);

impl Hasher for Already {
    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
