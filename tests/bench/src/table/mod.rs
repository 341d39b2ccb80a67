//! Measurements as tables, and what they should be.

mod detail;
mod goals;
mod spread;

use std::path::Path;

use crate::run::{Measurements, Slot};

pub use detail::line;

const BEGIN: &str = "<!-- measured: begin; written by `cargo xtask bench --write` -->";
const END: &str = "<!-- measured: end -->";

/// All tables, as Markdown.
pub fn tables(all: &Measurements, machine: &str) -> String {
    let goals = goals::table(all);
    let noise = noise(&all.slots);
    format!("{machine}\n\n{noise}\n\n### Targets\n\n{goals}\n\n### All measurements\n\n{}", detail::tables(&all.slots))
}

/// What the machine did beside the bench: whoever reads the tables must know.
fn noise(slots: &[Slot]) -> String {
    let most = |of: fn(&Slot) -> f64| slots.iter().map(of).fold(0.0, f64::max);
    let errors: u64 = slots.iter().map(|slot| slot.measured.errors).sum();
    format!(
        "{} measurements, none left out. Right before them a flush took at most {:.0} µs; meanwhile others used at most \
         {:.0} % of the cores (median {}). Calls that failed: {errors}.",
        slots.len(),
        most(|slot| slot.probe_us as f64),
        most(|slot| slot.busy_others * 100.0),
        spread::median(slots.iter().map(|slot| slot.busy_others * 100.0).collect())
            .map_or_else(|| "none".to_owned(), |median| format!("{median:.0} %")),
    )
}

/// Puts the tables between the markers of a document.
///
/// # Errors
/// That it can't be read or written, or has no markers.
pub fn write_into(document: &Path, tables: &str) -> Result<(), String> {
    let broken = |error: std::io::Error| format!("{}: {error}", document.display());
    let text = std::fs::read_to_string(document).map_err(broken)?;
    let placed = placed(&text, tables).ok_or_else(|| format!("{}: there is no {BEGIN} … {END}", document.display()))?;
    std::fs::write(document, placed).map_err(broken)
}

fn placed(text: &str, tables: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", tables.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_take_the_place_of_what_is_between_the_markers() {
        let text = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let placed = placed(&text, "new\n").expect("it has markers");
        assert_eq!(placed, format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"));
        assert_eq!(super::placed(&placed, "new"), Some(placed.clone()), "again changes nothing");
        assert_eq!(super::placed("no markers", "new"), None);
    }
}
