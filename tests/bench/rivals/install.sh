#!/bin/sh
# Installs the rivals into `.peers/rivals/` at the root of the repository (or where HAPAX_RIVALS says), each into a folder
# of its own, so that none changes what another needs. Nothing is done for a rival that is there in its version. Needs
# python3 with pip, and reaches PyPI only. What can't be installed is said here and in the table.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=${HAPAX_RIVALS:-$here/../../../.peers/rivals}
mkdir -p "$target"
target=$(cd "$target" && pwd)
constraints=$(sha256sum "$here/constraints.txt" | cut -d' ' -f1)

grep -v '^#' "$here/rivals.txt" | while read -r package; do
    name=${package%%==*}
    stamp="$package $constraints $(python3 -c 'import sys; print(sys.version_info[:2])')"
    if [ "$(cat "$target/$name.installed" 2>/dev/null || true)" = "$stamp" ]; then
        continue
    fi
    rm -rf "${target:?}/$name" "$target/$name.installed" "$target/$name.failed"
    echo "installing $package" >&2
    # Wheels alone: what is built from source would run code of a package while it is installed.
    if python3 -m pip install --quiet --disable-pip-version-check --only-binary :all: --constraint "$here/constraints.txt" \
        --target "$target/$name" "$package" 2> "$target/$name.log"; then
        echo "$stamp" > "$target/$name.installed"
    else
        # Which Python it asks for, if that is why; else what pip says last.
        { grep -o 'Requires-Python [^ ;]*' "$target/$name.log" || grep '^ERROR' "$target/$name.log"; } | tail -1 \
            > "$target/$name.failed"
        echo "$package can't be installed here: $(cat "$target/$name.failed")" >&2
    fi
done
