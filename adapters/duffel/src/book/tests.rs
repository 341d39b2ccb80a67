use hapax_core::testing::{Desk, body_of, word};
use serde_json::Value;

use super::*;
use crate::testing::{
    OFFER, ORDER, data, error, held, losing, missing, order, page, passenger, read, scripted, unclear,
};

const CELL: &str = "duffel.book";

fn args() -> Book {
    read(json!({"offer_id": OFFER, "passengers": [passenger()], "amount": {"amount": 9080, "currency": "GBP"}}))
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

fn desk(answer: (u16, Value)) -> Desk {
    scripted(CELL, [answer])
}

#[tokio::test]
async fn book_sends_what_was_asked() {
    let wanted = Book {
        services: vec![Service { id: "ase_00009hj8USM7Ncg31cB123".to_owned(), quantity: 2 }],
        users: vec!["icu_00009htyDGjIfajdNBZRlw".to_owned()],
        metadata: [("trip".to_owned(), "1042".to_owned())].into(),
        ..args()
    };
    let desk = desk(data(201, order(ORDER, &mark())));
    let Answer::Happened(receipt) = desk.attempt(&wanted).await else { panic!("not done") };
    assert_eq!((receipt.id.as_str(), receipt.body["booking_reference"].as_str()), (ORDER, Some("RZPNX8")));
    assert_eq!(desk.asked(), ["POST /air/orders"]);
    let request = desk.last();
    assert!(request.headers.contains(&("Duffel-Version".to_owned(), "v2".to_owned())));
    let passengers = json!([passenger()]);
    assert_eq!(
        body_of(&request),
        json!({"data": {
            "type": "instant", "selected_offers": [OFFER], "passengers": passengers,
            "payments": [{"type": "balance", "amount": "90.80", "currency": "GBP"}],
            "services": [{"id": "ase_00009hj8USM7Ncg31cB123", "quantity": 2}],
            "users": ["icu_00009htyDGjIfajdNBZRlw"], "metadata": {"trip": "1042", "hapax": mark()},
        }})
    );
}

#[tokio::test]
async fn book_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let desk = desk(page(&[order("ord_other", "other"), order(ORDER, &mark())], None));
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == ORDER));
    assert_eq!(desk.asked(), [format!("GET /air/orders?offer_id={OFFER}&limit=200")]);
}

#[tokio::test]
async fn book_not_listed_is_a_persons() {
    assert_eq!(desk(page(&[], None)).find(&args()).await, Ok(Finding::Absent));
    let (guarantee, _) = SPEC.published();
    assert_eq!(guarantee.best(), hapax_core::capability::SecondEffect::Withheld, "{}", guarantee.sentence());
}

#[tokio::test]
async fn book_order_not_created_is_refused() {
    let answer = desk(error(502, "airline_error", "order_not_created")).attempt(&args()).await;
    assert_eq!(word(&answer), "refused");
}

#[tokio::test]
async fn book_other_502_and_500_are_adrift() {
    for (status, code) in [(500, "internal_server_error"), (502, "bad_gateway"), (502, "airline_unknown")] {
        assert_eq!(word(&desk(error(status, "api_error", code)).attempt(&args()).await), "adrift", "{code}");
    }
}

#[tokio::test]
async fn book_503_504_429_and_foreign_bodies_are_unclear() {
    for answer in unclear() {
        assert_eq!(word(&desk(answer.clone()).attempt(&args()).await), "unclear", "{answer:?}");
    }
}

#[tokio::test]
async fn book_accepted_is_not_created() {
    // Even with what looks like our order in it.
    let answer = desk(data(202, order(ORDER, &mark()))).attempt(&args()).await;
    assert!(matches!(&answer, Answer::Unclear(Fault::Status(202, _))), "{answer:?}");
}

#[tokio::test]
async fn book_refusals_have_rows() {
    for (kind, code) in [
        ("validation_error", "invalid_phone_number"),
        ("validation_error", "payment_amount_does_not_match_order_amount"),
        ("airline_error", "offer_no_longer_available"),
        ("invalid_state_error", "insufficient_balance"),
    ] {
        assert_eq!(word(&desk(error(422, kind, code)).attempt(&args()).await), "refused", "{code}");
    }
}

#[tokio::test]
async fn book_airline_errors_are_not_guessed() {
    for kind in ["airline_error", "invalid_state_error", "new_error"] {
        assert_eq!(word(&desk(error(422, kind, "airline_internal")).attempt(&args()).await), "unclear", "{kind}");
    }
}

#[tokio::test]
async fn book_spent_offer_request_is_taken() {
    for code in ["offer_request_already_booked", "offer_request_already_actioned"] {
        assert_eq!(word(&desk(error(422, "validation_error", code)).attempt(&args()).await), "taken");
    }
}

#[tokio::test]
async fn book_unauthorized_is_not_done() {
    let answer = desk(error(401, "authentication_error", "expired_access_token")).attempt(&args()).await;
    assert_eq!(word(&answer), "not done");
}

#[tokio::test]
async fn book_two_of_ours_are_several() {
    let desk = desk(page(&[order(ORDER, &mark()), order("ord_2", &mark())], None));
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(both)) if both.len() == 2));
}

#[tokio::test]
async fn book_orders_of_others_do_not_count() {
    let mut unmarked = order("ord_3", "x");
    unmarked["metadata"] = Value::Null;
    let first = page(&[order("ord_2", "other"), unmarked], Some("g2wA=="));
    let desk = scripted(CELL, [first.clone(), page(&[order(ORDER, &mark())], None)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == ORDER));
    assert_eq!(desk.asked()[1], format!("GET /air/orders?offer_id={OFFER}&limit=200&after=g2wA%3D%3D"));
    assert_eq!(scripted(CELL, [first, page(&[], None)]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn book_failed_or_cut_look_is_no_absence() {
    let without_meta = (200, json!({"data": []}));
    for answer in [error(500, "api_error", "internal_server_error"), missing(), without_meta, (200, json!({}))] {
        assert!(desk(answer.clone()).find(&args()).await.is_err(), "{answer:?}");
    }
    let cut = scripted(CELL, [page(&[], Some("more")), error(429, "rate_limit_error", "rate_limit_exceeded")]);
    assert!(cut.find(&args()).await.is_err());
}

#[tokio::test]
async fn book_echo_mismatch_is_caught() {
    let with = |name: &str, value: Value| {
        let mut order = order(ORDER, &mark());
        order[name] = value;
        order
    };
    let wrong = [
        order(ORDER, "other"),
        with("total_amount", json!("91.80")),
        with("total_currency", json!("EUR")),
        with("passengers", json!([{}, {}])),
        held(ORDER, &mark()),
    ];
    for answer in wrong {
        assert_eq!(word(&desk(data(201, answer.clone())).attempt(&args()).await), "echo", "{answer}");
    }
    for (name, value) in [("total_amount", json!("90.805")), ("id", json!("pay_1"))] {
        assert_eq!(word(&desk(data(201, with(name, value))).attempt(&args()).await), "unclear");
    }
    let unpaid = desk(page(&[held(ORDER, &mark())], None)).find(&args()).await;
    assert!(matches!(unpaid, Err(Fault::Echo(_))), "{unpaid:?}");
    let named = desk(data(200, held(ORDER, &mark()))).fetch(&args(), ORDER).await;
    assert!(matches!(named, Err(Fault::Echo(_))), "{named:?}");
}

#[tokio::test]
async fn book_receipt_names_no_passengers() {
    let Answer::Happened(receipt) = desk(data(201, order(ORDER, &mark()))).attempt(&args()).await else {
        panic!("not done")
    };
    assert_eq!(
        *receipt.body,
        json!({"id": ORDER, "booking_reference": "RZPNX8", "amount": {"amount": 9080, "currency": "GBP"},
            "passengers": 1, "status": "booked"})
    );
}

#[tokio::test]
async fn book_cancelled_order_has_a_failed_fate() {
    let mut cancelled = order(ORDER, &mark());
    cancelled["cancelled_at"] = json!("2026-11-28T15:48:11.642Z");
    let ticketed = |mut order: Value| {
        order["documents"] = json!([{"unique_identifier": "1252106312810"}]);
        order
    };
    for (order, status, fate) in [
        (order(ORDER, &mark()), "booked", false),
        (ticketed(order(ORDER, &mark())), "ticketed", false),
        (ticketed(cancelled), "cancelled", true),
    ] {
        let receipt = receipt(&read(order)).expect("an order");
        assert_eq!(receipt.fate(), Some((status.to_owned(), fate)));
    }
}

#[tokio::test]
async fn book_fetch_reads_what_a_person_names() {
    let desk_of = |answer| desk(answer);
    // Made by hand, so without a mark.
    let by_hand = |id: &str| {
        let mut order = order(id, "");
        order["metadata"] = json!({});
        order
    };
    for ours in [by_hand(ORDER), order(ORDER, &mark())] {
        let desk = desk_of(data(200, ours));
        assert!(matches!(desk.fetch(&args(), ORDER).await, Ok(Some(receipt)) if receipt.id == ORDER));
        assert_eq!(desk.asked(), [format!("GET /air/orders/{ORDER}")]);
    }
    assert_eq!(desk_of(missing()).fetch(&args(), ORDER).await, Ok(None));
    assert!(desk_of(data(200, by_hand("ord_other"))).fetch(&args(), ORDER).await.is_err(), "another order");
    let echo = desk_of(data(200, order(ORDER, "another"))).fetch(&args(), ORDER).await;
    assert!(matches!(echo, Err(Fault::Echo(_))), "another operation's");
    let mut other = by_hand("ord_other");
    other["booking_reference"] = json!("AAAAAA");
    // The filter may be taken no notice of: every page is read.
    let pages = || [page(&[other.clone()], Some("more")), page(&[by_hand(ORDER)], None)];
    let desk = scripted(CELL, pages());
    assert!(matches!(desk.fetch(&args(), "RZPNX8").await, Ok(Some(receipt)) if receipt.id == ORDER));
    assert_eq!(desk.asked()[0], "GET /air/orders?booking_reference=RZPNX8&limit=200");
    assert_eq!(desk_of(page(&[other.clone()], None)).fetch(&args(), "RZPNX8").await, Ok(None));
    let two = [page(&[by_hand(ORDER)], Some("more")), page(&[by_hand("ord_2")], None)];
    assert!(scripted(CELL, two).fetch(&args(), "RZPNX8").await.is_err(), "two on two pages");
    for name in ["", "pay_1", "../x", "R ZPNX8"] {
        assert!(scripted(CELL, []).fetch(&args(), name).await.is_err(), "{name}");
    }
}

#[test]
fn book_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    let fails = |change: fn(&mut Book), says: &str| {
        let mut args = args();
        change(&mut args);
        assert!(args.check().is_err_and(|why| why.contains(says)), "{says}: {:?}", args.check());
    };
    fails(|args| args.offer_id = "off_../x".to_owned(), "offer_id");
    fails(|args| args.passengers.clear(), "passengers");
    fails(|args| args.passengers.push(args.passengers[0].clone()), "passengers[1].id");
    fails(|args| args.passengers[0].id.clear(), "passengers[0].id");
    fails(|args| args.passengers[0].given_name = " ".into(), "given_name");
    fails(|args| args.passengers[0].family_name = "".into(), "family_name");
    fails(|args| args.passengers[0].email = "amelia".into(), "email");
    fails(|args| args.passengers[0].phone_number = "02080160509".into(), "phone_number");
    fails(|args| args.amount.amount = 0, "amount");
    fails(|args| args.services = vec![Service { id: "ase_1".to_owned(), quantity: 0 }], "services");
    fails(|args| args.users = vec!["usr_1".to_owned()], "users");
    fails(|args| args.metadata = [("hapax".to_owned(), String::new())].into(), "metadata");
    fails(|args| args.metadata = [("a b".to_owned(), String::new())].into(), "metadata");
    fails(|args| args.metadata = [("a".to_owned(), "x".repeat(501))].into(), "metadata");
    fails(|args| args.metadata = (0..50).map(|number| (number.to_string(), String::new())).collect(), "metadata");
    fails(
        |args| {
            let document = args.passengers[0].identity_documents[0].clone();
            args.passengers[0].identity_documents.push(document);
        },
        "identity_documents",
    );
    let most: Book = Book { metadata: (0..49).map(|number| (number.to_string(), "x".repeat(500))).collect(), ..args() };
    assert_eq!(most.check(), Ok(()));
}

#[tokio::test]
async fn book_never_shows_passengers() {
    let answer = desk(error(422, "validation_error", "invalid_name")).attempt(&args()).await;
    let shown = format!("{:?} {answer:?}", args());
    for name in ["Amelia", "Earhart", "amelia@", "442080160509", "19KL56147", "1987"] {
        assert!(!shown.contains(name), "{name} in {shown}");
    }
}
