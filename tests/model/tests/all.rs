use hapax_model::*;
#[test]
fn first() {
    for kind in [Kind::a(), Kind::h(), Kind::e(), Kind::b(), Kind::c(), Kind::d(Handle::Keyed, true), Kind::f(false), Kind::f(true), Kind::g()] {
        let name = kind.name;
        let r = explore(&mut Machine::new(kind, Scenario::BARE), 2_000_000);
        eprintln!("{name}: {} states {} steps complete {} {:.1}s", r.states, r.steps, r.complete, r.seconds);
        eprintln!("   {:?}", SIGHTS.iter().enumerate().filter(|(i, _)| r.seen >> i & 1 == 1).map(|s| s.1).collect::<Vec<_>>());
        if let Some(run) = r.broken { eprintln!("{run}"); }
    }
}
