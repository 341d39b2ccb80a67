//! Each worked example holds under every fault of the kit.
#![cfg(feature = "prove")]

mod server;

use hapax_conformance::planted;
use hapax_http::{Declared, prove};

const EXAMPLES: [(&str, &str); 5] = [
    ("payments.toml", include_str!("../../../../docs/declare/payments.toml")),
    ("tickets.toml", include_str!("../../../../docs/declare/tickets.toml")),
    ("profiles.toml", include_str!("../../../../docs/declare/profiles.toml")),
    ("rooms.toml", ROOMS),
    ("relay.toml", include_str!("../../../../docs/declare/relay.toml")),
];

/// Nothing of ours is kept with a booking, so it is looked for by what it says.
const ROOMS: &str = r#"
name = "rooms"
base_url = "https://rooms.example.com"
source = { url = "https://rooms.example.com/docs", read = "2026-11-28", sure = "official" }
[errors]
code = "$.code"
[cells.book]
summary = "Books a room"
person = "https://rooms.example.com/bookings?room={room}"
residual = "a test"
[cells.book.arguments]
type = "object"
required = ["room", "day"]
properties = { room = { type = "string" }, day = { type = "string" } }
[cells.book.request]
method = "POST"
path = "/bookings"
json = { room = "{{ room }}", day = "{{ day }}" }
[cells.book.receipt]
id = "$.id"
echo = { "$.room" = "{{ room }}", "$.day" = "{{ day }}" }
[cells.book.look]
path = "/bookings"
query = { room = "{{ room }}" }
hits = "$.bookings[*]"
ours = { "$.room" = "{{ room }}", "$.day" = "{{ day }}" }
next = { number = { pair = "page" } }
lag = "10 s"
horizon = "365 days"
absence = "proves"
[cells.book.record]
path = "/bookings/{{ id }}"
[cells.book.example]
intent = { room = "room-{{ number }}", day = "2027-01-01" }
other = { day = "2027-01-02" }
"#;

async fn holds(file: &str, text: &str) {
    let declared = Declared::read(file, text).unwrap_or_else(|problem| panic!("{problem}"));
    let report = prove::play(&declared, &[1], None).await.unwrap_or_else(|problem| panic!("{problem}"));
    let mut table = Vec::new();
    report.write(&mut table).expect("memory takes everything");
    hapax_conformance::kit::say(&table);
    assert!(report.violations().is_empty(), "{} violations", report.violations().len());
}

/// One after the other, as the kits of adapters are: side by side they would miss each other's deadlines.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_ladder_holds_under_every_fault() {
    let _turn = ALONE.lock().await;
    for (file, text) in EXAMPLES {
        holds(file, text).await;
    }
}

/// A kit that notices no bug would hold for anything.
#[tokio::test(flavor = "multi_thread")]
async fn every_planted_bug_comes_to_light_on_a_declared_cell() {
    let _turn = ALONE.lock().await;
    let mut caught = Vec::new();
    for (file, text) in EXAMPLES {
        let declared = Declared::read(file, text).unwrap_or_else(|problem| panic!("{problem}"));
        caught.extend(prove::planted(&declared).await.unwrap_or_else(|problem| panic!("{problem}")));
    }
    hapax_conformance::kit::say(planted::table(&caught).as_bytes());
    assert_eq!(planted::missed(&caught), Vec::<&str>::new());
}

#[tokio::test]
async fn a_token_that_a_made_provider_cannot_read_back_is_said() {
    let (_, text) = EXAMPLES[0];
    let text = text.replace("\"{{ key }}\"", "\"{{ key }}{{ supplier }}\"");
    let declared = Declared::read("payments.toml", &text).unwrap_or_else(|problem| panic!("{problem}"));
    let problem = prove::play(&declared, &[1], None).await.expect_err("it can't be played").to_string();
    assert!(problem.contains("payments.toml, line 42: `key` can't be played"), "{problem}");
}
