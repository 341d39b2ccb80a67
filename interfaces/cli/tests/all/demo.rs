use crate::support::{Ended, hapax};

/// The counts are the demo's whole claim.
#[test]
fn the_demo_counts_two_for_a_retry_loop_and_one_for_hapax() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let ended = Ended::of(hapax().current_dir(elsewhere.path()).args(["demo", "--json"]));
    assert_eq!(ended.exit, 0, "{}{}", ended.out, ended.err);
    let answer = ended.json();
    let counts = answer["counts"].as_array().expect("counts");
    assert_eq!(counts.len(), 4);
    for count in counts {
        assert_eq!((&count["intents"], &count["naive"], &count["hapax"]), (&1.into(), &2.into(), &1.into()), "{count}");
    }
    assert_eq!(answer["totals"]["naive"], 8);
    assert_eq!(answer["inbox"]["evidence"]["stakes"], "high");
    assert_eq!(std::fs::read_dir(elsewhere.path()).expect("the folder").count(), 0, "it leaves nothing behind");
}

#[test]
fn without_a_terminal_the_demo_has_no_colour() {
    let ended = Ended::of(hapax().arg("demo"));
    assert_eq!(ended.exit, 0, "{}", ended.err);
    assert!(!ended.out.contains('\u{1b}'), "{}", ended.out);
    assert!(ended.out.contains("TWICE") && ended.out.contains("inbox"), "{}", ended.out);
}
