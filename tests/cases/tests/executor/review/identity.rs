//! Tokens that are not the same any more, and intents that still are.

use hapax_core::capability::CellSpec;
use hapax_core::cell::{Cell, CellArgs, Shot, erase};
use hapax_core::executor::ExecutorError;
use hapax_core::policy::Policy;
use hapax_core::words::{Answer, Next};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::toys::{Belted, Made, Plain, Reshaped, Rotated, connection, connection_with};
use crate::bed::{Bed, id, request, unknown_next};
use crate::provider::Does;

/// Rule 6 (A17): where the provider compares keys within one credential, another credential is
/// another scope, whatever the account is called.
#[tokio::test(start_paused = true)]
async fn a17_a_key_per_credential_is_gone_when_the_credential_is_rotated() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    let rotated = |api_key: &str| connection_with(vec![erase(Rotated)], api_key);
    let executor = bed.executor_with(Policy::default(), rotated("sk_1"), bed.ledger.clone()).await;
    executor.run(request("toy.rotated", "k", 100).wait_ms(1)).await.expect("run");
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let executor = bed.executor_with(Policy::default(), rotated("sk_2"), bed.ledger.clone()).await;
    let report = executor.run(request("toy.rotated", "k", 100)).await.expect("run");
    assert_eq!(unknown_next(&report), Next::Person, "{report:?}");
    assert_eq!(bed.provider.requests(), 1);
}

/// Rule 6 (A18, A21): a handle that is captured after an attempt left without it doesn't guard that
/// attempt.
#[tokio::test(start_paused = true)]
async fn a21_an_upgrade_to_a_handle_does_not_send_beside_a_plain_attempt() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    let executor = bed.executor_with(Policy::default(), connection(Plain), bed.ledger.clone()).await;
    executor.run(request("toy.reshaped", "k", 100).wait_ms(1)).await.expect("run");
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let upgraded = bed.executor_with(Policy::default(), connection(Reshaped), bed.ledger.clone()).await;
    let report = upgraded.run(request("toy.reshaped", "k", 100)).await.expect("run");
    assert_eq!(bed.provider.effects().len(), 1, "{report:?}");
    assert_eq!(unknown_next(&report), Next::Person);
}

/// Rule 7 (M8d): a restored ledger may have lost a handle also where the handle isn't relied on.
#[tokio::test(start_paused = true)]
async fn m08d_a_handle_that_is_a_belt_can_be_lost_too() {
    let bed = Bed::new();
    let backup = bed.ledger.backup();
    let executor = bed.executor_with(Policy::default(), connection(Belted::default()), bed.ledger.clone()).await;
    executor.run(request("toy.belted", "k", 100)).await.expect("run");
    bed.ledger.put_back(&backup);
    executor.note_restored().await.expect("restored");
    let report = executor.run(request("toy.belted", "k", 100).wait_ms(600_000)).await.expect("run");
    assert_eq!(bed.provider.effects().len(), 1, "{report:?}");
    assert_eq!(unknown_next(&report), Next::Person);
}

/// Rule 11 (A28): repeating a supersede changes nothing, and a second one with other arguments isn't
/// a repetition: it must not be told what became of the first one's.
#[tokio::test(start_paused = true)]
async fn a28_a_second_supersede_with_other_arguments_is_not_answered_with_the_first() {
    let bed = Bed::new();
    bed.provider.script([Does::Says(402, "declined")]);
    let executor = bed.executor().await;
    let refused = executor.run(request("toy.keyed", "k", 100)).await.expect("run");
    let by = |amount: i64| executor.supersede(refused.operation, 0, "ann", Some(json!({ "amount": amount })), 10_000);
    assert_eq!(id(&by(200).await.expect("supersede")), Some("e0"));
    assert_eq!(id(&by(200).await.expect("a repetition")), Some("e0"));
    let other = by(300).await;
    assert!(matches!(other, Err(ExecutorError::KeyReused { .. })), "{other:?}");
}

/// What the toy takes after an upgrade.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct MoreArgs {
    amount: i64,
    #[serde(default)]
    urgent: bool,
}

impl CellArgs for MoreArgs {}

struct Upgraded;

impl Cell for Upgraded {
    const SPEC: &'static CellSpec = &CellSpec::new("toy.reshaped", "makes an effect", &[]).version(2);
    type Args = MoreArgs;
    type Receipt = Made;

    async fn attempt(&self, _: Shot<'_>, _: &MoreArgs) -> Answer<Made> {
        Answer::NotDone("not in this test".to_owned(), None)
    }
}

/// Rule 10 (A21): the same call after an upgrade that added a field is the same intent.
#[tokio::test(start_paused = true)]
async fn a21_a_new_field_with_a_default_is_no_other_intent() {
    let bed = Bed::new();
    let executor = bed.executor_with(Policy::default(), connection(Plain), bed.ledger.clone()).await;
    let first = executor.run(request("toy.reshaped", "k", 100)).await.expect("run");
    let upgraded = bed.executor_with(Policy::default(), connection(Upgraded), bed.ledger.clone()).await;
    let again = upgraded.run(request("toy.reshaped", "k", 100)).await.expect("the same intent");
    assert_eq!((id(&first), id(&again)), (Some("e0"), Some("e0")));
    let other = upgraded.run(request("toy.reshaped", "k", 5)).await;
    assert!(matches!(other, Err(ExecutorError::KeyReused { .. })), "{other:?}");
}
