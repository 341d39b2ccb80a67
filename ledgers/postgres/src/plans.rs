//! What the planner thinks of our reads of one operation, on tables that were filled a moment ago.

use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER, available};

use crate::{Address, Options, PostgresLedger, by_keys, read};

/// Far below what makes PostgreSQL compile a plan (`jit_above_cost`, 100,000), and above what some index reads cost.
const CHEAP: f64 = 10_000.0;

/// Of the two numbers after `cost=` the second: for all rows.
fn cost(plan: &str) -> f64 {
    let costs = plan.lines().next().and_then(|first| first.split_once("cost=")).expect("a plan has a cost").1;
    let (_, all) = costs.split_once("..").expect("two numbers");
    all.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
}

#[tokio::test]
async fn reads_of_one_operation_look_cheap_on_tables_without_statistics() {
    if !available() {
        let left_out = b"left out: plans of reads: no PostgreSQL is installed (initdb, pg_ctl, psql)\n";
        std::io::Write::write_all(&mut std::io::stderr(), left_out).expect("somebody listens");
        return;
    }
    let cluster = Cluster::start_with("autovacuum = off").await.expect("a cluster can be made");
    let url = format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/postgres?sslmode=disable", cluster.port());
    let address = Address::parse(&url.into()).expect("it is an address");
    PostgresLedger::create(address, Options::default()).await.expect("it can be made");
    let fill = "INSERT INTO hapax.events (operation, sequence, wall, awake, boot, revision, said) \
         SELECT gen_random_uuid(), n, 0, 0, 0, 1, repeat('x', 300) FROM generate_series(1, 100000) n";
    cluster.sql("postgres", fill).await.expect("it can be filled");
    let one = "'00000000-0000-0000-0000-000000000000'";
    let array = format!("ARRAY[{one}]::uuid[]");
    let bounded = [
        (read::OF_ID, "uuid", one),
        (read::OF_KEY, "uuid", one),
        (read::OF_CLAIM, "uuid", one),
        (by_keys::OF_KEYS, "uuid[]", array.as_str()),
    ];
    let planned = async |(sql, of, with): (&str, &str, &str)| {
        let explain = format!("PREPARE q ({of}) AS {sql}; EXPLAIN EXECUTE q ({with})");
        cost(&cluster.sql("postgres", &explain).await.expect("it can be planned"))
    };
    for read in bounded {
        let cost = planned(read).await;
        assert!(cost < CHEAP, "{cost}: {}", read.0);
    }
    // What the others are for: one that reads all rows of an operation looks as if there were hundreds.
    assert!(planned((read::BY_ID, "uuid", one)).await > 1_000.0, "statistics are known, so this shows nothing");
}
