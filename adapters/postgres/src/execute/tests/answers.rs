//! What the server says, and what it must not be made to say.

use hapax_core::testing::word;
use hapax_core::words::{Answer, Finding};
use serde_json::json;

use crate::testing::{Place, WireFault, insert, one, place};
use crate::{Execute, Isolation, Rows, Statement};

/// Refused with this code; the words hold this and none of the values.
async fn refused(place: &Place, args: &Execute, code: &str, says: &str) {
    let answer = place.desk().attempt(args).await;
    let Answer::Refused(refusal, _) = &answer else { panic!("{args:?}: {answer:?}") };
    assert_eq!(refusal.code, code, "{refusal:?}");
    assert!(refusal.message.contains(says), "{refusal:?}");
    assert!(!refusal.message.contains("secret"), "{refusal:?}");
    assert_eq!(place.sql("SELECT count(*) FROM hapax_done").await, "0");
}

#[tokio::test]
async fn execute_constraint_violation_is_refused() {
    let Some(place) = place().await else { return };
    place.sql("INSERT INTO entry (word) VALUES ('secret')").await;
    let twice = [insert("other").statements.remove(0), insert("secret").statements.remove(0)];
    refused(&place, &Execute::new(twice), "23505", "statement 2: unique violation (SQLSTATE 23505), constraint").await;
    let below = one("INSERT INTO entry (word, amount) VALUES ($1, -1)", [json!("secret two")]);
    refused(&place, &below, "23514", "entry_amount_check").await;
    refused(&place, &one("INSERT INTO entry (amount) VALUES (1)", []), "23502", "column word").await;
    assert_eq!(place.entries().await, 1);
}

#[tokio::test]
async fn execute_deferred_constraint_is_refused_at_commit() {
    let Some(place) = place().await else { return };
    place.sql("INSERT INTO late VALUES ('secret')").await;
    let args = one("INSERT INTO late VALUES ($1)", [json!("secret")]);
    refused(&place, &args, "23505", "COMMIT: unique violation").await;
    assert_eq!(place.proxy.commits(), 1);
    assert_eq!(place.sql("SELECT count(*) FROM late").await, "1");
    // The operation may go again under its key once the reason is gone.
    place.sql("DELETE FROM late").await;
    assert_eq!(word(&place.desk().attempt(&args).await), "happened");
}

#[tokio::test]
async fn execute_bad_sql_is_refused() {
    let Some(place) = place().await else { return };
    place.sql("CREATE TABLE not_ours (a int)").await;
    refused(&place, &one("SELECT 'secret' FRM entry", []), "42601", "at character").await;
    refused(&place, &one("SELECT secret FROM entry", []), "42703", "undefined column").await;
    refused(&place, &one("DELETE FROM not_ours", []), "42501", "insufficient privilege").await;
    refused(&place, &one("INSERT INTO nowhere VALUES ('secret')", []), "42P01", "undefined table").await;
}

#[tokio::test]
async fn execute_bad_value_is_refused_without_it() {
    let Some(place) = place().await else { return };
    let args = one("INSERT INTO entry (word, amount) VALUES ('a', $1)", [json!("secret")]);
    refused(&place, &args, "22P02", "invalid text representation").await;
}

#[tokio::test]
async fn execute_raised_exception_is_refused() {
    let Some(place) = place().await else { return };
    place
        .sql(
            "CREATE FUNCTION no(text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN \
             RAISE EXCEPTION 'of %', $1 USING DETAIL = $1, HINT = $1; END $$",
        )
        .await;
    refused(&place, &one("SELECT no($1)", [json!("secret")]), "P0001", "its words are left out").await;
}

#[tokio::test]
async fn execute_serialization_failure_is_not_done() {
    let Some(place) = place().await else { return };
    place.sql("INSERT INTO entry (word, amount) VALUES ('a', 1)").await;
    // Between the snapshot and the update somebody else updates.
    place.sql("CREATE ROLE x; CREATE EXTENSION IF NOT EXISTS dblink").await;
    let connect = format!(
        "host=127.0.0.1 port={} dbname={} user=app password={}",
        place.cluster.port(),
        place.database,
        crate::testing::PASSWORD
    );
    let mut args = Execute::new([
        Statement::new("SELECT dblink_exec($1, 'UPDATE entry SET amount = 2') AS done", [json!(connect)]),
        Statement::new("UPDATE entry SET amount = 3", []),
    ]);
    args.isolation = Isolation::RepeatableRead;
    let answer = place.desk().attempt(&args).await;
    assert_eq!(word(&answer), "not done", "{answer:?}");
    assert!(format!("{answer:?}").contains("40001"), "{answer:?}");
    assert_eq!(place.sql("SELECT amount FROM entry").await, "2");
}

#[tokio::test]
async fn execute_deadlock_is_not_done() {
    let Some(place) = place().await else { return };
    place.sql("INSERT INTO entry (word) VALUES ('a'), ('b')").await;
    let update = |word: &str| Statement::new("UPDATE entry SET amount = 1 WHERE word = $1", [json!(word)]);
    let wait = || Statement::new("SELECT pg_sleep(0.5)", []);
    let one = Execute::new([update("a"), wait(), update("b")]);
    let two = Execute::new([update("b"), wait(), update("a")]);
    let (first, second) = (place.desk().keyed("first"), place.desk().keyed("second"));
    let (first, second) = tokio::join!(first.attempt(&one), second.attempt(&two));
    let mut words = [word(&first), word(&second)];
    words.sort_unstable();
    assert_eq!(words, ["happened", "not done"], "{first:?} {second:?}");
    assert!(format!("{first:?}{second:?}").contains("40P01"), "{first:?} {second:?}");
}

#[tokio::test]
async fn execute_too_slow_is_not_done() {
    let Some(place) = place().await else { return };
    let clock = std::sync::Arc::new(hapax_core::clock::ScaledClock::new(80));
    let desk = crate::testing::desk_by(clock, &place.proxy.url());
    let answer = desk.attempt(&one("SELECT pg_sleep(30)", [])).await;
    assert_eq!(word(&answer), "not done", "{answer:?}");
    assert_eq!(place.proxy.commits(), 0);
    // The server gives up by itself.
    place.until("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hapax'", "0").await;
}

#[tokio::test]
async fn execute_wrong_number_of_rows_is_refused() {
    let Some(place) = place().await else { return };
    place.sql("INSERT INTO entry (word, amount) VALUES ('a', 1), ('b', 1)").await;
    let update = |rows| Execute::new([Statement::new("UPDATE entry SET amount = 2", []).affecting(rows)]);
    refused(&place, &update(Rows::Exactly(1)), "rows", "2 rows, where exactly 1 are wanted").await;
    refused(&place, &update(Rows::AtLeast(3)), "rows", "at least 3").await;
    refused(&place, &update(Rows::AtMost(1)), "rows", "at most 1").await;
    assert_eq!(place.sql("SELECT sum(amount) FROM entry").await, "2");
    for (key, rows) in [("k1", Rows::Exactly(2)), ("k2", Rows::AtLeast(2)), ("k3", Rows::AtMost(2))] {
        assert_eq!(word(&place.desk().keyed(key).attempt(&update(rows)).await), "happened");
    }
}

#[tokio::test]
async fn execute_result_that_is_too_large_is_refused() {
    let Some(place) = place().await else { return };
    let much = |sql: &str| Execute::new([insert("a").statements.remove(0), Statement::new(sql, [])]);
    refused(&place, &much("SELECT generate_series(1, 1001) AS n"), "result-too-large", "statement 2").await;
    refused(&place, &much("SELECT repeat('x', 65536) AS n"), "result-too-large", "64 KiB").await;
    assert_eq!(place.entries().await, 0);
    let most = one("SELECT generate_series(1, 1000) AS n", []);
    assert_eq!(word(&place.desk().attempt(&most).await), "happened");
}

#[tokio::test]
async fn execute_result_type_that_is_unknown_is_refused_before_it_runs() {
    let Some(place) = place().await else { return };
    let args = one("INSERT INTO entry (word) VALUES ('a') RETURNING now() AS at", []);
    refused(&place, &args, "result-type", "return at::text instead").await;
    let args = one("SELECT 1 AS a, 2 AS a", []);
    refused(&place, &args, "result-columns", "name them apart").await;
    assert_eq!(place.entries().await, 0);
}

#[tokio::test]
async fn execute_two_statements_in_one_are_refused() {
    let Some(place) = place().await else { return };
    for end in ["; COMMIT", "; ROLLBACK", ";/**/COMMIT", "; SELECT 1; COMMIT;"] {
        let args = one(&format!("INSERT INTO entry (word) VALUES ('a'){end}"), []);
        refused(&place, &args, "42601", "syntax error").await;
    }
    assert_eq!(place.entries().await, 0);
}

#[tokio::test]
async fn execute_procedure_cannot_end_the_transaction() {
    let Some(place) = place().await else { return };
    for (name, end) in [("a", "COMMIT"), ("b", "ROLLBACK")] {
        let make = format!("CREATE PROCEDURE {name}() LANGUAGE plpgsql AS $$ BEGIN {end}; END $$");
        place.sql(&make).await;
        let args = Execute::new([insert("a").statements.remove(0), Statement::new(format!("CALL {name}()"), [])]);
        refused(&place, &args, "2D000", "invalid transaction termination").await;
    }
    assert_eq!(place.entries().await, 0);
}

#[tokio::test]
async fn execute_takes_every_kind_of_value() {
    let Some(place) = place().await else { return };
    place.sql("CREATE TYPE mood AS ENUM ('calm'); CREATE DOMAIN small AS int CHECK (value < 10)").await;
    let sql = "SELECT $1::bool AS b, $2::int2 AS i2, $3::int4 AS i4, $4::int8 AS i8, $5::float8 AS f, \
         $6::numeric AS n, $7::text AS t, $8::uuid AS u, $9::jsonb AS j, $10::json AS k, $11::mood AS m, \
         $12::small AS d, $13::text AS nothing, ($14::date)::text AS day, $15::varchar AS v, 'NaN'::float8 AS nan, \
         '-0.00012'::numeric AS tiny, 123456789012345678901234567890.5::numeric AS large, 10000::numeric AS round";
    let params = [
        json!(true),
        json!(-2),
        json!(70_000),
        json!(9_007_199_254_740_993_i64),
        json!(1.5),
        json!("1234.5600"),
        json!("it's; -- $1 'quoted'"),
        json!("0b0e7a5c-6f6b-4a52-9a5e-1d2c3b4a5f60"),
        json!({"a": [1, null]}),
        json!("text"),
        json!("calm"),
        json!(9),
        json!(null),
        json!("2026-02-28"),
        json!("é"),
    ];
    let answer = place.desk().attempt(&one(sql, params)).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    let told = &receipt.body["statements"][0]["rows"][0];
    let wanted = json!({
        "b": true, "i2": -2, "i4": 70_000, "i8": 9_007_199_254_740_993_i64, "f": 1.5, "n": "1234.5600",
        "t": "it's; -- $1 'quoted'", "u": "0b0e7a5c-6f6b-4a52-9a5e-1d2c3b4a5f60", "j": {"a": [1, null]}, "k": "text",
        "m": "calm", "d": 9, "nothing": null, "day": "2026-02-28", "v": "é", "nan": "NaN", "tiny": "-0.00012",
        "large": "123456789012345678901234567890.5", "round": "10000",
    });
    assert_eq!(told, &wanted);
    let found = place.desk().find(&one(sql, [])).await;
    assert!(found.is_err(), "other arguments: {found:?}");
}

#[tokio::test]
async fn execute_lost_table_is_not_done() {
    let Some(place) = place().await else { return };
    place.sql("DROP TABLE hapax_done").await;
    let answer = place.desk().attempt(&insert("a")).await;
    assert_eq!(word(&answer), "not done", "{answer:?}");
    assert!(format!("{answer:?}").contains("hapax_done: undefined table"), "{answer:?}");
    assert_eq!(place.entries().await, 0);
}

#[tokio::test]
async fn execute_table_refuses_to_forget() {
    let Some(place) = place().await else { return };
    assert_eq!(word(&place.desk().attempt(&insert("a")).await), "happened");
    for sql in ["DELETE FROM hapax_done", "TRUNCATE hapax_done"] {
        let said = place.cluster.sql(&place.database, sql).await.expect_err("the guard").to_string();
        assert!(said.contains("keeps its rows for 90 days"), "{said}");
    }
    place.sql("UPDATE hapax_done SET done_at = now() - interval '91 days'; DELETE FROM hapax_done").await;
    assert_eq!(place.sql("SELECT count(*) FROM hapax_done").await, "0");
}

#[tokio::test]
async fn execute_hidden_row_is_no_absence() {
    let Some(place) = place().await else { return };
    let desk = place.desk();
    assert_eq!(word(&desk.attempt(&insert("a")).await), "happened");
    place
        .sql(
            "ALTER TABLE hapax_done ENABLE ROW LEVEL SECURITY; \
             CREATE POLICY in_only ON hapax_done FOR INSERT WITH CHECK (true)",
        )
        .await;
    // Found or not, nothing is done a second time.
    let again = word(&desk.attempt(&insert("a")).await);
    assert!(["taken", "not done"].contains(&again), "{again}");
    assert_eq!(place.entries().await, 1);
}

#[tokio::test]
async fn execute_look_that_fails_is_no_absence() {
    let Some(place) = place().await else { return };
    let (desk, args) = (place.desk(), insert("a"));
    // The password in two steps, BEGIN, standby, row, lock, row.
    let mut cut = 0;
    for nth in 1..20 {
        for fault in [WireFault::CutBefore(nth), WireFault::CutAfter(nth)] {
            let met = place.proxy.inject(fault);
            let found = desk.find(&args).await;
            if met.times_reached() == 0 {
                assert_eq!(found, Ok(Finding::Absent));
                assert!(cut >= 12, "only {cut} places were met");
                return wrong_table(&place).await;
            }
            assert!(found.is_err(), "{fault:?}: {found:?}");
            cut += 1;
        }
    }
    panic!("the look never ended");
}

async fn wrong_table(place: &Place) {
    place.proxy.clear();
    place.sql("REVOKE SELECT ON hapax_done FROM app").await;
    assert!(place.desk().find(&insert("a")).await.is_err());
    place.sql("DROP TABLE hapax_done").await;
    assert!(place.desk().find(&insert("a")).await.is_err());
    assert!(place.desk_at("postgres://127.0.0.1:1/none?sslmode=disable").find(&insert("a")).await.is_err());
}

#[tokio::test]
async fn execute_asynchronous_commit_is_switched_off() {
    let Some(place) = place().await else { return };
    place.sql(&format!("ALTER ROLE app IN DATABASE {} SET synchronous_commit = off", place.database)).await;
    let args = one("SELECT current_setting('synchronous_commit') AS s, current_setting('statement_timeout') AS t", []);
    let Answer::Happened(receipt) = place.desk().attempt(&args).await else { panic!("it happens") };
    let told = &receipt.body["statements"][0]["rows"][0];
    assert_eq!(told["s"], "on");
    assert_ne!(told["t"], "0");
}

#[tokio::test]
async fn execute_fetch_reads_the_row_that_a_person_names() {
    let Some(place) = place().await else { return };
    let (desk, args) = (place.desk(), insert("a"));
    let Answer::Happened(receipt) = desk.attempt(&args).await else { panic!("it happens") };
    assert_eq!(desk.fetch(&args, &receipt.id).await, Ok(Some(receipt.clone())));
    assert_eq!(desk.fetch(&args, "another").await, Ok(None));
    assert!(desk.fetch(&insert("b"), &receipt.id).await.is_err());
}

#[tokio::test]
async fn execute_look_at_a_standby_tells_nothing() {
    if !hapax_standin::third_party::postgres::available() {
        return;
    }
    let cluster = hapax_standin::third_party::postgres::Cluster::start().await.expect("a cluster");
    let role = format!("CREATE ROLE app LOGIN SUPERUSER PASSWORD '{}'", crate::testing::PASSWORD);
    for sql in [role.as_str(), crate::SET_UP, "CREATE TABLE entry (word text, amount int)"] {
        cluster.sql("postgres", sql).await.expect("SQL that works");
    }
    // A server that recovers for ever is a standby.
    cluster.stop().await.expect("it stops");
    std::fs::write(cluster.data().join("standby.signal"), "").expect("a file");
    cluster.go_on().await.expect("it comes back");
    let connection = crate::testing::connection(&cluster.url("postgres"), crate::testing::PASSWORD);
    let script = hapax_core::testing::Script::of([]);
    let desk = hapax_core::testing::Desk::new(connection, "postgres.execute", script);
    assert!(matches!(desk.find(&insert("a")).await, Ok(Finding::CannotTell(_))));
    let answer = desk.attempt(&insert("a")).await;
    assert_eq!(word(&answer), "not done", "{answer:?}");
    assert!(format!("{:?}", desk.wire().connection().integration.whoami(desk.wire()).await).contains("a standby"));
}
