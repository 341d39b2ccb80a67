#!/bin/sh
# Installs Debian's PgBouncer, for the tests of the ledger in PostgreSQL, where that can be done without asking: as root,
# with apt-get. Nothing is done if it is there. Its service is not started: the tests start one of their own.
set -eu

if command -v pgbouncer > /dev/null || [ -x /usr/sbin/pgbouncer ]; then
    exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "PgBouncer is not installed, and only root with apt-get installs it here" >&2
    exit 1
fi

# Debian's way to keep a package from starting its service.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' > "$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
fi

export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends pgbouncer > /dev/null; }
# The lists may be missing or old.
install 2> /dev/null || { apt-get update -qq > /dev/null && install; }
# Not at the next start either.
if command -v systemctl > /dev/null; then
    systemctl disable pgbouncer > /dev/null 2>&1 || true
fi
