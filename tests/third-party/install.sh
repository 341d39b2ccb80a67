#!/bin/sh
# Installs the servers into `.third-party/` at the root of the repository (or where HAPAX_THIRD_PARTY says).
# Nothing is done if what is there was installed from the same files. Needs npm, python3 with venv, and sha256sum.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=${HAPAX_THIRD_PARTY:-$here/../../.third-party}
stamp=$(cat "$here/package.json" "$here/package-lock.json" "$here/requirements.txt" "$here/install.sh" | sha256sum |
    cut -d' ' -f1)

mkdir -p "$target"
# The scripts stand beside what they import, so that each runtime finds it without being told.
cp "$here"/package.json "$here"/package-lock.json "$here"/*.mjs "$here"/*.cjs "$here"/*.py "$here"/restate.sh "$target"
if [ "$(cat "$target/installed" 2>/dev/null || true)" = "$stamp" ]; then
    exit 0
fi
rm -f "$target/installed"

# No install scripts: the packages that we need have none, and others should not run here.
(cd "$target" && npm ci --ignore-scripts --no-audit --no-fund)
python3 -m venv "$target/venv"
"$target/venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"

# Twilio ships its API description (MIT) with the library of its command line. One file of it is wanted, so the package
# is unpacked and not installed: it would bring a hundred others.
descriptions=$target/descriptions
mkdir -p "$descriptions"
(cd "$descriptions" && npm pack --silent @twilio/cli-core@9.0.0 > /dev/null)
package=$descriptions/twilio-cli-core-9.0.0.tgz
echo "9fef3d7234dbce63ff3005a422f46fcf7e3486b369f852f61b3ede41097e5667  $package" | sha256sum -c --quiet
tar -xzf "$package" -O package/src/services/twilio-api/twilio_api_v2010.json > "$descriptions/twilio_api_v2010.json"
rm "$package"

echo "$stamp" > "$target/installed"
