use crate::support::{Ended, hapax};

/// The counts are the demo's whole claim.
#[test]
fn the_demo_counts_two_for_a_retry_loop_and_one_for_hapax() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let ended = Ended::of(hapax().current_dir(elsewhere.path()).args(["demo", "--json"]));
    assert_eq!(ended.exit, 0, "{}{}", ended.out, ended.err);
    let answer = ended.json();
    let counts = answer["counts"].as_array().expect("counts");
    let ends: Vec<&str> = counts.iter().filter_map(|count| count["ended"].as_str()).collect();
    assert_eq!(ends, ["succeeded", "succeeded", "person"]);
    for count in counts {
        assert_eq!((&count["intents"], &count["naive"], &count["hapax"]), (&1.into(), &2.into(), &1.into()), "{count}");
    }
    assert_eq!(answer["totals"]["naive"], 6);
    let inbox = &answer["inbox"];
    assert_eq!((&inbox["cell"], &inbox["key"]), (&"amadeus.book_flight".into(), &"trip:1042:flight".into()));
    assert_eq!((&inbox["evidence"]["stakes"], &inbox["evidence"]["open_attempts"]), (&"high".into(), &1.into()));
    assert_eq!(std::fs::read_dir(elsewhere.path()).expect("the folder").count(), 0, "it leaves nothing behind");
}

#[test]
fn without_a_terminal_the_demo_has_no_colour_and_says_how_a_person_closes_what_is_left() {
    let ended = Ended::of(hapax().arg("demo"));
    assert_eq!(ended.exit, 0, "{}", ended.err);
    assert!(!ended.out.contains('\u{1b}'), "{}", ended.out);
    assert_eq!(ended.out.matches("TWICE").count(), 3, "{}", ended.out);
    let line = ended.out.lines().find(|line| line.contains("--happened RECORD_LOCATOR")).expect("the command");
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "resolve").expect("the command");
    let (operation, seen) = (words[at + 1], words[at + 3]);
    assert!(seen.parse::<u64>().is_ok_and(|seen| seen > 0), "{line}");
    let waits =
        ended.out.lines().any(|line| line.trim_start().starts_with(operation) && line.contains("trip:1042:flight"));
    assert!(waits, "the inbox shows {operation}: {}", ended.out);
}
