//! The protocol: events, the pure functions [`fold`] and [`next`], and what they may rely on.
//!
//! An operation's state is not stored. It is folded from its events, and what to do is said by
//! [`next`]. Both are pure and public: somebody with another executor (Temporal, Restate, DBOS, a
//! journal of their own) uses cells and these two functions without ours.

mod bounds;
mod event;
mod evidence;
mod fold;
mod next;
mod permit;
mod redact;
mod state;
mod time;

pub use bounds::Bounds;
pub use event::{Decision, Departed, Event, Found, Heard, Hold, Intent, Looked, Receipt, Record, Verdict};
pub use fold::fold;
pub use next::{Do, IN_PROGRESS, next};
pub use permit::{Permit, View, may_decide, may_send};
pub use redact::{Private, REMOVED, may_redact, redact};
pub use state::{Alarm, Attempt, Final, LastLook, Lease, OpState, PendingDecision, Restore};
pub use time::{Elapsed, Stamp};
