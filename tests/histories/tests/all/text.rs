//! A history as text is the history.

use hapax_histories::history::{Call, Entry, Event, History, Receipt, Rest, Said, Says, Turn};

fn receipt() -> Receipt {
    Receipt { id: "octo cat/a=b#12~3%".to_owned(), digest: "1f".to_owned() }
}

/// One of each, with texts that could be taken for something else.
fn one_of_each() -> Vec<Event> {
    let call = Call(7);
    let (key, by, at) = ("order:1 = 2@a.b".to_owned(), "caller 1".to_owned(), "w1".to_owned());
    let said = |said| Event::Returned { call, said };
    let rest = |rest| Event::Rests { key: key.clone(), rest };
    let decided = |says| Event::Decided { call, key: key.clone(), says, by: by.clone(), at: at.clone() };
    let turn = |turn| Event::Worker { worker: at.clone(), turn };
    let effect = |key: Option<&str>, about: Option<&str>| Event::Effect {
        key: key.map(str::to_owned),
        intent: about.map(str::to_owned),
        object: receipt().id,
        token: about.map(str::to_owned),
    };
    let mut all = vec![
        Event::Invoked { call, key: key.clone(), intent: "a".to_owned(), by: by.clone(), at: at.clone() },
        said(Said::Ok(receipt())),
        said(Said::Refused { code: "a code".to_owned() }),
        said(Said::Unknown { next: "again".to_owned(), receipt: None }),
        said(Said::Unknown { next: "person".to_owned(), receipt: Some(receipt()) }),
        said(Said::NothingSent { code: "ledger".to_owned() }),
        said(Said::Lost),
        effect(Some(&key), Some("a b")),
        effect(None, None),
        Event::Network { between: "w1-ledger".to_owned(), is_cut: true },
        Event::Network { between: "w1-ledger".to_owned(), is_cut: false },
        Event::Fault { at: "a.b".to_owned(), what: "Hang { after_effect: true }\nx2".to_owned() },
        Event::Restored { as_of_ms: 12 },
        Event::Quiet,
    ];
    all.extend([Says::Happened(receipt().id), Says::DidNotHappen, Says::SendAgain].map(decided));
    all.extend([Turn::Started, Turn::Killed, Turn::Paused, Turn::Resumed].map(turn));
    all.extend([Rest::Final, Rest::Held, Rest::Person, Rest::Due, Rest::Stuck, Rest::Missing].map(rest));
    all
}

#[test]
fn what_is_written_is_read_again() {
    let entries = one_of_each().into_iter().zip(0..).map(|(event, at_ms)| Entry { at_ms, event }).collect();
    let history = History { remarks: vec!["seed 7".to_owned()], entries };
    let text = history.to_string();
    assert_eq!(text.lines().count(), 1 + history.entries.len(), "one line each: {text}");
    assert_eq!(text.parse(), Ok(history), "{text}");
}

#[test]
fn it_reads_as_people_write_it() {
    let text = "# seed 7\n\n   12 invoke c3 order:1@a.b intent=a by=caller1 at=w2\n15 ok c3 receipt=pi_1~1f\n";
    let history: History = text.parse().expect("it reads");
    assert_eq!(
        history.to_string(),
        "# seed 7\n       12 invoke c3 order:1@a.b intent=a by=caller1 at=w2\n       15 ok c3 receipt=pi_1~1f\n"
    );
}

#[test]
fn what_is_no_entry_is_refused_with_its_line() {
    #[track_caller]
    fn check(line: &str, why: &str) {
        let read: Result<History, _> = format!("1 quiet\n{line}").parse();
        assert_eq!(read.expect_err(line).to_string(), format!("line 2 can't be read: {why}"));
    }
    check("soon quiet", "soon is no moment");
    check("2", "what happened is missing");
    check("2 explode c1", "explode is nothing that happens");
    check("2 ok receipt=o~d", "the call is missing");
    check("2 ok 7 receipt=o~d", "7 is no call");
    check("2 ok c7", "receipt= is missing");
    check("2 ok c7 receipt=o", "o has no digest");
    check("2 rests k as=lost", "lost is no place to rest");
    check("2 decide c1 k says=maybe by=x at=w", "maybe is nothing that a person says");
    check("2 restored ledger as-of=noon", "noon is no moment");
}
