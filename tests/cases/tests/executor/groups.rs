//! Many targets as plain operations.

use hapax_core::group::{Course, Group, GroupError, Target};
use serde_json::json;

use super::bed::Bed;
use super::provider::Does;

fn target(id: &str, amount: i64) -> Target {
    Target::new(id, json!({ "amount": amount }))
}

#[tokio::test(start_paused = true)]
async fn a33_a_group_that_is_run_again_in_another_order_sends_nothing_twice() {
    let bed = Bed::new();
    let executor = bed.executor().await;
    let course = Course::new("toy", "toy.keyed").at_once(2);
    bed.provider.script([Does::LosesAnswer, Does::LosesRequest]);
    let list = vec![target("ann", 1), target("bob", 2), target("cat", 3)];
    let group = Group::new("november", list).expect("a group");
    let first = group.run(&executor, &course, |_| {}).await;
    assert_eq!((first.total, first.succeeded), (3, 3), "counts, and no outcome of the whole");
    // Keys come from who a target is, so its place in the list doesn't matter.
    let turned = vec![target("cat", 3), target("ann", 1), target("bob", 2)];
    let again = Group::new("november", turned).expect("a group").run(&executor, &course, |_| {}).await;
    assert_eq!((again.succeeded, bed.provider.effects().len()), (3, 3));
}

#[test]
fn a33_the_list_is_frozen_before_anything_is_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("november.jsonl");
    let group = |targets| Group::new("november", targets).expect("a group");
    group(vec![target("ann", 1), target("bob", 2)]).freeze(&file).expect("frozen");
    let changed = group(vec![target("ann", 1), target("cat", 3)]).freeze(&file);
    assert!(matches!(changed, Err(GroupError::Changed { added: 1, missing: 1, changed: 0 })), "{changed:?}");
    assert_eq!(Group::read(&file).expect("the frozen list").len(), 2);
}
