use hapax_core::testing::{Desk, body_of, word};
use hapax_core::words::Answer;
use serde_json::json;

use super::*;
use crate::Attachment;
use crate::testing::{error, id, losing, mail, page, scripted, shown};

const CELL: &str = "resend.send_batch";
const ONE: &str = "jane@example.org";
const TWO: &str = "joe@example.org";

fn batch() -> SendBatch {
    SendBatch::of([mail(ONE), mail(TWO)])
}

fn desk(answers: Vec<(u16, Value)>) -> Desk {
    scripted(CELL, answers)
}

fn tagged(number: u32, to: &str, place: usize) -> (u16, Value) {
    (200, shown(number, to, Some(&tag(&desk(vec![]).mark(), place))))
}

/// What a look finds where these are listed: number, recipient, place.
async fn found(mails: &[(u32, &str, usize)]) -> Finding<hapax_core::protocol::Receipt> {
    let listed = mails.iter().map(|(number, to, _)| shown(*number, to, None)).collect();
    let read = mails.iter().map(|(number, to, place)| tagged(*number, to, *place));
    let answers = [page(listed, false)].into_iter().chain(read).collect();
    desk(answers).find(&batch()).await.expect("a finding")
}

#[tokio::test]
async fn send_batch_is_one_request_with_a_tag_for_each_mail() {
    let desk = desk(vec![(200, json!({"data": [{"id": id(1)}, {"id": id(2)}]}))]);
    let answer = desk.attempt(&batch()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!((receipt.id.clone(), &*receipt.body), (id(1), &json!({"ids": [id(1), id(2)]})));
    assert_eq!(desk.asked(), ["POST /emails/batch"]);
    let request = desk.last();
    let headers = [
        ("Idempotency-Key".to_owned(), desk.names().token("send")),
        ("x-batch-validation".to_owned(), "strict".to_owned()),
    ];
    assert!(headers.iter().all(|header| request.headers.contains(header)), "{:?}", request.headers);
    let body = body_of(&request);
    for (place, to) in [ONE, TWO].into_iter().enumerate() {
        assert_eq!(body[place]["to"], json!([to]));
        assert_eq!(body[place]["tags"], json!([{"name": "hapax", "value": format!("{}-{place}", desk.mark())}]));
    }
}

#[tokio::test]
async fn send_batch_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&batch()).await), "unclear");
    // Listed in another order than that of the batch.
    let finding = found(&[(8, TWO, 1), (7, ONE, 0)]).await;
    let Finding::Happened(receipt) = finding else { panic!("{finding:?}") };
    assert_eq!(*receipt.body, json!({"ids": [id(7), id(8)]}));
}

#[tokio::test]
async fn send_batch_listed_in_part_cannot_tell() {
    let Finding::CannotTell(why) = found(&[(8, TWO, 1)]).await else { panic!("a part is not the whole") };
    assert!(why.contains("1 of the 2"), "{why}");
    let strange = found(&[(7, ONE, 0), (8, TWO, 2)]).await;
    assert!(matches!(strange, Finding::CannotTell(_)), "a place that the batch doesn't have: {strange:?}");
}

#[tokio::test]
async fn send_batch_absent_is_only_suggested() {
    assert_eq!(found(&[]).await, Finding::Absent);
    let untagged = desk(vec![page(vec![shown(1, ONE, None)], false), (200, shown(1, ONE, None))]);
    assert!(matches!(untagged.find(&batch()).await, Ok(Finding::CannotTell(_))));
    let absence = SendBatchCell::SPEC.queries().map(|query| query.absence).max();
    assert_eq!(absence, Some(hapax_core::capability::Absence::Suggests));
}

#[tokio::test]
async fn send_batch_listed_twice_is_several() {
    let finding = found(&[(7, ONE, 0), (8, TWO, 1), (9, ONE, 0), (10, TWO, 1)]).await;
    let Finding::Several(both) = finding else { panic!("{finding:?}") };
    let ids: Vec<&str> = both.iter().map(|receipt| receipt.id.as_str()).collect();
    assert_eq!(ids, [id(7), id(9)]);
    assert!(matches!(found(&[(7, ONE, 0), (9, ONE, 0)]).await, Finding::Several(both) if both.len() == 2));
}

#[tokio::test]
async fn send_batch_answer_that_is_not_whole_is_unread() {
    let answers = [
        json!({"data": [{"id": id(1)}]}),
        json!({"data": [{"id": id(1)}, {"id": id(1)}]}),
        json!({"data": [{"id": id(1)}, {"id": id(2)}, {"id": id(3)}]}),
        json!({"data": [{"id": id(1)}, {"id": id(2)}], "errors": [{"index": 1, "message": "no"}]}),
        json!({"id": id(1)}),
    ];
    for answer in answers {
        assert_eq!(word(&desk(vec![(200, answer.clone())]).attempt(&batch()).await), "unclear", "{answer}");
    }
}

#[tokio::test]
async fn send_batch_is_refused_as_a_whole() {
    for name in ["validation_error", "missing_required_field"] {
        assert_eq!(word(&desk(vec![error(422, name)]).attempt(&batch()).await), "refused", "{name}");
    }
    assert_eq!(word(&desk(vec![error(409, "invalid_idempotent_request")]).attempt(&batch()).await), "taken");
    assert_eq!(word(&desk(vec![error(409, "concurrent_idempotent_requests")]).attempt(&batch()).await), "not done");
    assert_eq!(word(&desk(vec![error(500, "application_error")]).attempt(&batch()).await), "unclear");
}

#[tokio::test]
async fn send_batch_fetch_reads_the_whole_batch() {
    let listed = || page(vec![shown(8, TWO, None), shown(7, ONE, None)], false);
    let whole = desk(vec![tagged(8, TWO, 1), listed(), tagged(8, TWO, 1), tagged(7, ONE, 0)]);
    let receipt = whole.fetch(&batch(), &id(8)).await.expect("a read").expect("a batch");
    assert_eq!(*receipt.body, json!({"ids": [id(7), id(8)]}));
    let part = desk(vec![tagged(8, TWO, 1), page(vec![shown(8, TWO, None)], false), tagged(8, TWO, 1)]);
    assert!(part.fetch(&batch(), &id(8)).await.is_err());
    let by_hand = desk(vec![(200, shown(8, TWO, Some("somebody-elses")))]);
    assert!(matches!(by_hand.fetch(&batch(), &id(8)).await, Err(Fault::Echo(_))));
}

#[test]
fn send_batch_checks_its_arguments() {
    assert_eq!(batch().check(), Ok(()));
    assert_eq!(SendBatch::of(vec![mail(ONE); 100]).check(), Ok(()));
    let says = |mails: Vec<Mail>, field: &str| {
        let said = SendBatch::of(mails).check().expect_err(field);
        assert!(said.starts_with(field), "{said}");
    };
    says(vec![], "mails:");
    says(vec![mail(ONE); 101], "mails:");
    says(vec![mail(ONE), Mail { to: vec![], ..mail(TWO) }], "mails[1].to:");
    let soon = Some("2023-11-15T00:00:00Z".parse().expect("a time"));
    says(vec![Mail { scheduled_at: soon, ..mail(ONE) }], "mails[0].scheduled_at:");
    let file = Attachment {
        filename: "a.txt".to_owned(),
        content: "aGFwYXg=".to_owned(),
        content_type: None,
        content_id: None,
    };
    says(vec![Mail { attachments: vec![file], ..mail(ONE) }], "mails[0].attachments:");
}
