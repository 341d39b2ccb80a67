//! What `hapax doctor` says of a database, of its settings, and of a pooler before it.

use hapax_standin::third_party::postgres::PASSWORD;

use crate::pooler::{self, Pooler};
use crate::postgres_ledger::{Place, tell};

fn made(left_out: &str) -> Option<Place> {
    let place = Place::open(left_out)?;
    let made = place.run(&["ledger", "create"]);
    assert_eq!(made.exit, 0, "{}", made.err);
    Some(place)
}

/// What it says, which must have a line that begins so, and end with this code.
#[track_caller]
fn says(place: &Place, exit: i32, line: &str) {
    let doctor = place.run(&["doctor", "--offline"]);
    assert_eq!(doctor.exit, exit, "{}{}", doctor.out, doctor.err);
    assert!(doctor.out.lines().any(|one| one.starts_with(line)), "{line:?} should be in {}{}", doctor.out, doctor.err);
}

#[test]
fn doctor_says_which_pooler_can_be_worked_through() {
    let left_out = "what doctor says of a pooler";
    if pooler::program().is_none() {
        return tell(&format!("left out: {left_out}: no PgBouncer is installed (pgbouncer)"));
    }
    let Some(place) = made(left_out) else { return };
    says(&place, 0, "ok    ledger pooler: none in transaction mode was seen");
    let mut port = place.cluster.port();
    let refused = "fail  ledger: nothing was sent: the ledger can't be used: the pooler before postgres://";
    for (mode, exit, line) in [
        ("session", 0, "ok    ledger pooler: none in transaction mode was seen"),
        ("statement", 7, refused),
        ("transaction", 0, "ok    ledger pooler: in transaction mode; it "),
    ] {
        let pooler = Pooler::start(&place.cluster, mode, 8).expect("a pooler");
        place.change(&format!(":{port}/"), &format!(":{}/", pooler.port()));
        port = pooler.port();
        says(&place, exit, line);
        if mode == "transaction" {
            let follows = place.run(&["doctor", "--offline"]).out.contains("it follows prepared statements");
            place.change("[ledger]\n", "[ledger]\nprepared_statements = true\n");
            match follows {
                true => says(&place, 0, "ok    ledger pooler: in transaction mode; it follows"),
                false => says(&place, 7, refused),
            }
        }
    }
}

#[test]
fn doctor_says_what_a_role_lacks_and_whether_others_can_change_what_was_written() {
    let Some(place) = made("what doctor says of a role") else { return };
    let may = "ok    ledger schema: format 1, and this role may do all that is needed; ";
    says(&place, 0, &format!("{may}triggers keep"));
    place.sql("ALTER TABLE hapax.events DISABLE TRIGGER events_stay");
    says(&place, 0, &format!("{may}the triggers are missing or off"));
    place.sql(&format!("CREATE ROLE hapax_app LOGIN PASSWORD '{PASSWORD}'"));
    place.sql(include_str!("../../../../ledgers/postgres/grants.sql"));
    place.change("postgres://postgres@", "postgres://hapax_app@");
    says(&place, 0, may);
    place.sql("REVOKE UPDATE ON hapax.operations FROM hapax_app; REVOKE DELETE ON hapax.claims FROM hapax_app");
    says(
        &place,
        7,
        "fail  ledger schema: nothing was sent: this role lacks UPDATE on operations, DELETE on claims; grant",
    );
}

#[test]
fn doctor_says_what_would_break_what_is_confirmed() {
    let Some(place) = made("what doctor says of a server's settings") else { return };
    says(&place, 0, "ok    ledger durability: the server flushes; synchronous_commit is on");
    place.sql("ALTER ROLE postgres SET synchronous_commit = off");
    says(&place, 0, "ok    ledger durability: the server flushes; synchronous_commit is off, raised to on here");
    // A clock of the database that is an hour ahead: what is asked for without its schema is found here first.
    place.sql(
        "CREATE SCHEMA settable; CREATE FUNCTION settable.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS \
           'SELECT pg_catalog.clock_timestamp() + interval ''1 hour'''; \
         ALTER ROLE postgres SET search_path = settable, pg_catalog, public",
    );
    says(&place, 7, "fail  ledger clock: nothing was sent: this machine is -3");
    place.sql("ALTER ROLE postgres RESET search_path");
    says(&place, 0, "ok    ledger clock: ");
    for setting in ["fsync", "full_page_writes"] {
        place.sql(&format!("ALTER SYSTEM SET {setting} = off"));
        place.is_there(false);
        place.is_there(true);
        says(&place, 7, "fail  ledger durability: nothing was sent: fsync or full_page_writes is off");
        place.sql(&format!("ALTER SYSTEM RESET {setting}"));
    }
}
