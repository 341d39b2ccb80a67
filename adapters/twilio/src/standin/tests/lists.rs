use super::{BEGIN_MS, FROM, Stage, TO, code, stage, text};
use hapax_standin::{Kind, When};

/// The SIDs on all pages from this one on.
async fn walk(stage: &Stage, path: &str) -> Vec<String> {
    let (mut all, mut path) = (Vec::new(), Some(path.to_owned()));
    while let Some(ask) = path {
        let page = stage.get(&ask).await.value();
        let records = page["messages"].as_array().or_else(|| page["calls"].as_array()).expect("a list");
        all.extend(records.iter().map(|record| text(&record["sid"])));
        path = page["next_page_uri"].as_str().map(|uri| uri.split_at(uri.find(".json").unwrap_or(0)).1.to_owned());
        path = path.map(|rest| format!("/{}{rest}", if page["calls"].is_array() { "Calls" } else { "Messages" }));
    }
    all
}

#[tokio::test]
async fn pages_are_walked_from_the_newest_to_the_end() {
    let stage = stage().await;
    let mut made = Vec::new();
    for number in 0..7 {
        made.push(stage.sent(&format!("number {number}")).await);
    }
    made.reverse();
    assert_eq!(walk(&stage, "/Messages.json?PageSize=3").await, made);
    assert_eq!(walk(&stage, "/Messages.json?PageSize=7").await, made);
    let first = stage.get("/Messages.json?PageSize=3").await.value();
    assert!(text(&first["next_page_uri"]).contains("PageToken=PASM"), "{first}");
    assert_eq!(code(&stage.get("/Messages.json?PageSize=1001").await), (400, 20001));
}

#[tokio::test]
async fn filters_by_number_and_day() {
    let stage = stage().await;
    let one = stage.sent("one").await;
    stage.clock.advance(24 * 3_600_000);
    let other = stage.post("/Messages.json", &[("To", "+15551230002"), FROM, ("Body", "two")]).await.value();
    let two = text(&other["sid"]);
    assert_eq!(walk(&stage, "/Messages.json?To=%2B15551230001").await, std::slice::from_ref(&one));
    assert_eq!(walk(&stage, "/Messages.json?From=%2B15551234567").await, [two.clone(), one.clone()]);
    assert!(walk(&stage, "/Messages.json?From=%2B15550000000").await.is_empty());
    // The second has not left yet, so no filter by day shows it.
    assert!(walk(&stage, "/Messages.json?DateSent%3E=2026-09-22").await.is_empty());
    stage.clock.advance(2_000);
    assert_eq!(walk(&stage, "/Messages.json?DateSent%3E=2026-09-22").await, [two]);
    assert_eq!(walk(&stage, "/Messages.json?DateSent=2026-09-21").await, std::slice::from_ref(&one));
    assert_eq!(walk(&stage, "/Messages.json?DateSent%3C=2026-09-21").await, [one]);
    assert_eq!(BEGIN_MS % 1_000, 0);
}

#[tokio::test]
async fn calls_are_listed_too() {
    let stage = stage().await;
    let mut made = Vec::new();
    for _ in 0..3 {
        let reply = stage.post("/Calls.json", &[TO, FROM, ("Twiml", "<Response/>")]).await;
        assert_eq!(reply.status, 201);
        made.push(text(&reply.value()["sid"]));
    }
    made.reverse();
    assert_eq!(walk(&stage, "/Calls.json?To=%2B15551230001&PageSize=2").await, made);
    stage.clock.advance(2_000);
    let call = stage.get(&format!("/Calls/{}.json", made[0])).await.value();
    assert_eq!((&call["status"], &call["direction"]), (&"completed".into(), &"outbound-api".into()));
    assert_eq!(walk(&stage, "/Calls.json?StartTime=2026-09-21").await.len(), 3);
    assert_eq!(stage.count("call"), 3);
}

#[tokio::test]
async fn lists_that_lag_and_lists_that_end_too_soon() {
    let stage = stage().await;
    let lists = When::on("GET", "*/Messages.json").always();
    stage.server.injections().add(lists.clone(), Kind::ListLags { by_ms: 30_000 });
    let sid = stage.sent("one").await;
    assert!(walk(&stage, "/Messages.json").await.is_empty());
    stage.clock.advance(30_000);
    assert_eq!(walk(&stage, "/Messages.json").await, [sid]);
    stage.server.injections().clear();
    stage.sent("two").await;
    stage.server.injections().add(lists, Kind::ListCapped { at: 1 });
    assert_eq!(walk(&stage, "/Messages.json").await.len(), 1);
}
