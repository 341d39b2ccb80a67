#!/bin/sh
# Installs the peers into `.peers/` at the root of the repository (or where HAPAX_PEERS says). Nothing is done if what is
# there was installed from the same files. Needs cargo for the first two and npm for the others; what can't be installed
# is said, and its part of the bench is left out.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=${HAPAX_PEERS:-$here/../../../.peers}
mkdir -p "$target"
target=$(cd "$target" && pwd)

# install NAME FILES...: runs the function of that name, unless these files were installed before.
install() {
    name=$1
    shift
    stamp=$(cd "$here" && cat install.sh "$@" | sha256sum | cut -d' ' -f1)
    if [ "$(cat "$target/$name.installed" 2>/dev/null || true)" = "$stamp" ]; then
        return 0
    fi
    rm -f "$target/$name.installed"
    echo "installing $name" >&2
    if "$name"; then
        echo "$stamp" > "$target/$name.installed"
    else
        echo "$name can't be installed here" >&2
    fi
}

crate() {
    CARGO_TARGET_DIR=$target/target cargo build --quiet --release --locked --manifest-path "$here/$1/Cargo.toml"
}

agent_effects() {
    crate agent-effects
}

restate() {
    crate restate
}

# Scripts stand beside what they import, so that the runtime finds it. No install scripts: the packages that are wanted
# need none, and others should not run here.
javascript() {
    command -v npm > /dev/null &&
        cp "$here/package.json" "$here/package-lock.json" "$here/dbos.mjs" "$here/lines.mjs" "$target" &&
        (cd "$target" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
}

install agent_effects agent-effects/Cargo.toml agent-effects/Cargo.lock agent-effects/src/main.rs
install restate restate/Cargo.toml restate/Cargo.lock restate/src/main.rs
install javascript package.json package-lock.json dbos.mjs lines.mjs
