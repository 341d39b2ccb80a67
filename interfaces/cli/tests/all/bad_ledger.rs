//! What can be wrong with the ledger. Each time nothing is sent, and what it holds stays.

use std::io::{Seek, SeekFrom, Write};

use crate::support::{Ended, Shop, charge};

#[test]
fn a_missing_ledger_is_an_error_and_not_an_empty_one() {
    let shop = Shop::open();
    std::fs::remove_file(shop.file("hapax.ledger")).expect("removed");
    let ended = shop.run("stripe.charge", "k", &charge(100));
    ended.failed(7, "nothing was sent: the ledger ", &["hapax.ledger does not exist", "hapax ledger restored"]);
    assert!(!shop.file("hapax.ledger").exists());
    assert_eq!(shop.stripe.count("charge"), 0);
}

#[test]
fn a_ledger_of_a_newer_program() {
    /// Where a SQLite file keeps the version that its user gives it.
    const USER_VERSION: u64 = 60;
    let shop = Shop::open();
    let mut file = std::fs::OpenOptions::new().write(true).open(shop.file("hapax.ledger")).expect("the ledger");
    file.seek(SeekFrom::Start(USER_VERSION)).expect("seek");
    file.write_all(&9_999_u32.to_be_bytes()).expect("write");
    drop(file);
    shop.run("stripe.charge", "k", &charge(100)).failed(7, "nothing was sent: ", &["hapax.ledger", "newer"]);
    assert_eq!(shop.stripe.count("charge"), 0);
}

#[test]
fn a_file_that_is_no_ledger() {
    let shop = Shop::open();
    std::fs::write(shop.file("hapax.ledger"), "not a ledger, but somebody's file").expect("written");
    shop.run("stripe.charge", "k", &charge(100)).failed(7, "nothing was sent: ", &["hapax.ledger"]);
    let kept = std::fs::read_to_string(shop.file("hapax.ledger")).expect("the file");
    assert_eq!(kept, "not a ledger, but somebody's file");
}

/// Each page in turn is rubbish: that is said, and whatever can still be read, no effect is there twice or made up.
#[test]
fn a_damaged_page_is_told_and_nothing_is_sent_twice() {
    const PAGE: usize = 4096;
    let shop = Shop::open();
    for key in ["a", "b", "c"] {
        assert_eq!(shop.run("stripe.charge", key, &charge(100)).exit, 0);
    }
    let file = shop.file("hapax.ledger");
    let whole = std::fs::read(&file).expect("the ledger");
    for page in 0..whole.len() / PAGE {
        let mut bytes = whole.clone();
        bytes[page * PAGE..(page + 1) * PAGE].fill(0xA5);
        std::fs::write(&file, bytes).expect("written");
        let verified = shop.hapax(&["ledger", "verify"]);
        assert_eq!(verified.exit, 7, "page {page}: {}{}", verified.out, verified.err);
        let again = shop.run("stripe.charge", "b", &charge(100));
        match again.exit {
            0 => {}
            7 => assert!(again.err.starts_with("nothing was sent: the ledger"), "page {page}: {}", again.err),
            other => panic!("page {page}: {other}: {}{}", again.out, again.err),
        }
        assert_eq!(shop.stripe.count("charge"), 3, "page {page}");
    }
    std::fs::write(&file, whole).expect("given back");
    assert_eq!((shop.hapax(&["ledger", "verify"]).exit, shop.operations()), (0, 3));
}

#[cfg(unix)]
#[test]
fn a_secret_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Shop::open();
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(shop.file("hapax.secret"), open).expect("mode");
    shop.run("stripe.charge", "k", &charge(100)).failed(2, "nothing was sent: others can read", &["chmod 600"]);
    assert_eq!(shop.stripe.count("charge"), 0);
}

/// A limit on the size of files stands for a full disk: writes fail in the same places.
#[cfg(unix)]
#[test]
fn a_full_disk() {
    let shop = Shop::open();
    assert_eq!(shop.run("stripe.charge", "before", &charge(100)).exit, 0);
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" run stripe.charge --key full --args \"$1\" --wait 2";
    let ended = Ended::of(
        std::process::Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_hapax"), &charge(100).to_string()])
            .current_dir(shop.folder())
            .env_remove("HAPAX_CONFIG")
            .env_remove("HAPAX_NAMESPACE_SECRET"),
    );
    ended.failed(7, "nothing was sent: the ledger can't be used: ", &["hapax.ledger", "disk"]);
    assert_eq!(shop.stripe.count("charge"), 1);
    // With room again, the ledger is whole and the intent goes through once.
    assert_eq!(shop.hapax(&["ledger", "verify"]).exit, 0);
    assert_eq!(shop.run("stripe.charge", "full", &charge(100)).exit, 0);
    assert_eq!((shop.stripe.count("charge"), shop.operations()), (2, 2));
}
