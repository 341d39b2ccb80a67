use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use super::*;

#[test]
fn every_order_of_two_steps_is_played() {
    let seen: Arc<Mutex<Vec<u32>>> = Arc::default();
    let noted = Arc::clone(&seen);
    explore("two steps", move || {
        let order = Arc::new(AtomicU32::new(0));
        let parts = [1, 2].map(|digit| {
            let order = Arc::clone(&order);
            run(async move {
                point();
                order.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |seen| Some(seen * 10 + digit)).ok();
            })
        });
        block_on(async {
            for part in parts {
                part.end().await;
            }
        });
        noted.lock().expect("no panic").push(order.load(Ordering::SeqCst));
    });
    let seen = seen.lock().expect("no panic");
    assert!(seen.contains(&12) && seen.contains(&21) && seen.len() == schedules());
}

#[test]
fn a_lost_update_somebody_who_waits_for_ever_and_one_who_asks_for_ever_are_found() {
    let words = finds("a lost update", || {
        let count = Arc::new(AtomicU32::new(0));
        let parts = [(); 2].map(|()| {
            let count = Arc::clone(&count);
            run(async move {
                let read = count.load(Ordering::SeqCst);
                point();
                count.store(read + 1, Ordering::SeqCst);
            })
        });
        block_on(async {
            for part in parts {
                part.end().await;
            }
        });
        assert_eq!(count.load(Ordering::SeqCst), 2, "an update was lost");
    });
    assert!(words.contains("an update was lost"), "{words}");
    let words = finds("a wake-up that never comes", || block_on(std::future::pending()));
    assert!(words.contains("deadlock"), "{words}");
    let words = finds("one who never stops asking", || {
        loop {
            point();
        }
    });
    assert!(words.contains("step"), "{words}");
}

#[test]
fn a_panic_of_a_task_is_its_own_end_and_lets_go_of_what_it_held() {
    explore("a task that panics", || {
        let held = Arc::new(());
        let inside = Arc::clone(&held);
        let task = spawn(async move {
            let _inside = inside;
            point();
            // Without the words of a panic, which would stand in the output of a test that holds.
            std::panic::resume_unwind(Box::new("planned"));
        });
        point();
        block_on(task.end());
        assert_eq!(Arc::strong_count(&held), 1);
    });
}

#[test]
fn a_caller_who_leaves_has_looked_as_often_as_it_was_told() {
    explore("callers who leave", || {
        let leaves = run(leaving(Some(3), std::future::pending::<()>()));
        let stays = run(leaving(None, std::future::ready(7)));
        block_on(async {
            assert_eq!(leaves.end().await, Err(Left));
            assert_eq!(stays.end().await, Ok(7));
        });
    });
}
