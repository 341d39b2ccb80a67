#!/bin/sh
# Starts a Restate server on free ports of 127.0.0.1, with empty state in the folder that is named, and lets its log (a line
# of JSON each, which says where it listens) through. The end of the standard input ends it: a test that is killed cannot
# stop what it started, but its end closes.
#
# At every start the server asks GitHub for its latest release, and no setting turns that off. It is started where names
# can't be resolved (a mount namespace with an empty resolv.conf), so that nothing leaves the machine. With `--can` instead
# of a folder the script says by its exit code whether that works here.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
server=$here/node_modules/@restatedev/restate-server-linux-x64/bin/restate-server
hidden='mount --bind /dev/null /etc/resolv.conf'

if [ "$1" = --can ]; then
    [ -x "$server" ] && unshare --map-root-user --mount sh -c "$hidden" 2> /dev/null
    exit
fi

export RESTATE_DISABLE_TELEMETRY=true
# A test kills workers and waits for the next attempt.
export RESTATE_DEFAULT_RETRY_POLICY__INITIAL_INTERVAL=50ms
export RESTATE_DEFAULT_RETRY_POLICY__MAX_INTERVAL=200ms
# A handler that waits is suspended soon, as in a long wait.
export RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT=500ms
export RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE=256MB

# The standard input belongs to the watch below, not to the server.
unshare --map-root-user --mount sh -c "$hidden && exec \"\$@\"" sh \
    "$server" --no-logo --log-format json --base-dir "$1" --node-name one --cluster-name tests \
    --listen-mode tcp --bind-ip 127.0.0.1 --use-random-ports true --default-num-partitions 1 < /dev/null 2>&1 &
running=$!
cat > /dev/null
kill -KILL "$running" 2> /dev/null || true
wait "$running" 2> /dev/null || true
rm -rf "$1/one"
