//! What is checked before anything leaves.

use hapax_core::cell::CellArgs as _;
use serde_json::json;

use crate::testing::{nowhere, one};
use crate::{Execute, Rows, Statement};

#[test]
fn execute_checks_its_arguments() {
    let says = |args: &Execute| args.check().err().unwrap_or_default();
    assert_eq!(says(&Execute::new([])), "statements: give 1 to 100");
    let many = (0..101).map(|_| Statement::new("SELECT 1", []));
    assert_eq!(says(&Execute::new(many)), "statements: give 1 to 100");
    assert!(says(&one("COMMIT", [])).starts_with("statements[0].sql: begins with none of"));
    let long = format!("SELECT '{}'", "x".repeat(64 * 1024));
    assert_eq!(says(&one(&long, [])), "statements[0].sql: at most 64 KiB");
    assert_eq!(says(&one("SELECT 1", (0..1_001).map(|_| json!(1)))), "statements[0].params: at most 1000");
    assert!(says(&one("SELECT $1", [json!("se\0cret")])).starts_with("statements[0].params[0]: "));
    assert_eq!(says(&one("SELECT $1", [json!(null)])), "");
}

#[test]
fn arguments_read_as_people_write_them() {
    let said = json!({ "statements": [
        { "sql": "UPDATE a SET b = $1", "params": [1], "rows": { "exactly": 1 } },
        { "sql": "SELECT 1" },
    ], "isolation": "serializable" });
    let args: Execute = serde_json::from_value(said).expect("arguments");
    assert_eq!(args.statements[0].rows, Some(Rows::Exactly(1)));
    assert_eq!(args.isolation.sql(), "SERIALIZABLE");
    let unknown = json!({ "statements": [], "isolated": true });
    assert!(serde_json::from_value::<Execute>(unknown).is_err());
    // The same intent has one fingerprint, and another one has another.
    assert_eq!(args.echo(), args.clone().echo());
    assert_ne!(args.echo(), one("SELECT 1", []).echo());
}

#[tokio::test]
async fn client_address_is_checked() {
    let find = async |url: &str| {
        let connection = crate::testing::connection(url, "p");
        let desk = hapax_core::testing::Desk::new(connection, "postgres.execute", hapax_core::testing::Script::of([]));
        format!("{:?}", desk.find(&one("SELECT 1", [])).await)
    };
    assert!(find("postgres://127.0.0.1:1/?sslmode=disable").await.contains("names no database"));
    assert!(find("postgres://me:pass@127.0.0.1:1/a").await.contains("belong to the credentials"));
    assert!(find("postgres://127.0.0.1:1/a?sslmode=prefer").await.contains("unknown option"));
    assert!(find("postgres://127.0.0.1:1/a?sslmode=disable").await.contains("no connection"));
    assert!(matches!(nowhere().attempt(&one("SELECT 1", [])).await, hapax_core::words::Answer::NotDone(..)));
}
