//! The `hapax` binary of this build.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Where it is. The test command builds it together with this suite; alone, it is built now.
pub(crate) fn hapax() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let test = std::env::current_exe().expect("this test's own path");
        let folder = test.parent().and_then(|deps| deps.parent()).expect("the target folder");
        let path = folder.join(format!("hapax{}", std::env::consts::EXE_SUFFIX));
        if !path.exists() {
            let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
            let built = Command::new(cargo).args(["build", "--quiet", "--package", "hapax"]).status();
            assert!(built.is_ok_and(|status| status.success()), "the binary could not be built");
        }
        path
    })
}
