use crate::support::{Ended, hapax};

#[test]
fn init_makes_three_files_and_overwrites_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("new");
    let made = Ended::of(hapax().arg("init").arg(&place));
    assert_eq!(made.exit, 0, "{}", made.err);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(place.join("hapax.secret")).expect("the secret").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let sample = std::fs::read_to_string(place.join("hapax.toml")).expect("the configuration");
    assert_eq!(sample, include_str!("../../hapax.sample.toml"));
    let secret = std::fs::read_to_string(place.join("hapax.secret")).expect("the secret");
    assert!(!made.out.contains(&secret));
    assert_eq!(Ended::of(hapax().current_dir(&place).args(["ls"])).exit, 0);

    let again = Ended::of(hapax().arg("init").arg(&place));
    again.failed(2, "nothing was changed: ", &["hapax.toml exists already"]);
    // A lost configuration isn't a reason to make a new secret beside an old ledger.
    std::fs::remove_file(place.join("hapax.toml")).expect("removed");
    Ended::of(hapax().arg("init").arg(&place)).failed(2, "nothing was changed: ", &["hapax.ledger exists already"]);
    assert_eq!(std::fs::read_to_string(place.join("hapax.secret")).expect("the secret"), secret);
    assert!(!place.join("hapax.toml").exists());
}

#[test]
fn the_configuration_is_looked_for_in_three_places() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = tempfile::tempdir().expect("a folder");
    assert_eq!(Ended::of(hapax().arg("init").arg(folder.path())).exit, 0);
    let file = folder.path().join("hapax.toml");
    let ls = || {
        let mut command = hapax();
        command.current_dir(elsewhere.path()).arg("ls");
        command
    };
    Ended::of(&mut ls()).failed(2, "nothing was sent: hapax.toml can't be read", &["hapax init", "--config"]);
    assert_eq!(Ended::of(ls().arg("--config").arg(&file)).exit, 0);
    assert_eq!(Ended::of(ls().env("HAPAX_CONFIG", &file)).exit, 0);
    assert_eq!(Ended::of(hapax().current_dir(folder.path()).arg("ls")).exit, 0);
}
