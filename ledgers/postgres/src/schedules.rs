//! Tasks and callers in orders that a seed decides: the real code, above something that counts instead of a database. Which
//! bugs this finds is shown by planting them there.

mod appends;
mod look_ups;
mod watches;
