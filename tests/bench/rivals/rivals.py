#!/usr/bin/env python3
"""Plays four scenes with hapax and its rivals, and counts what happened.

Runs offline once install.sh has put the rivals into `.peers/rivals/`. It counts first what planted rivals do.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import random
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

import catalog
import check
import report
import scenes
from scenes import LIMIT, SCENES, play

NAME = "tests/bench/rivals/rivals.py"
SAYING = threading.Lock()


def say(line):
    with SAYING:
        print(line, file=sys.stderr, flush=True)


def options():
    read = argparse.ArgumentParser(prog="rivals.py", description=__doc__)
    read.add_argument("--self-check", action="store_true", help="count what planted rivals do, and nothing else")
    read.add_argument("--only", metavar="NAMES", help="packages to play besides hapax, with commas between; or hapax")
    read.add_argument("--scenes", default="ABCD", help="which scenes (ABCD)")
    read.add_argument("--reps", type=int, default=3, help="how often each is played (3)")
    read.add_argument("--jobs", type=int, default=4, help="how many at once; most of the time is waiting (4)")
    read.add_argument("--limit", type=float, default=LIMIT, help=f"seconds after which a caller is ended ({LIMIT:.0f})")
    read.add_argument("--seed", type=int, default=1, help="of the order in which they are played (1)")
    read.add_argument("--hapax", help="the command line's binary (target/release or target/debug)")
    read.add_argument("--json", metavar="FILE", help="write all runs as JSON; README.md says its shape")
    read.add_argument("--from-json", metavar="FILE", help="play nothing: take the runs that --json wrote")
    read.add_argument("--write", metavar="PAGE", help="replace the measured part of this page")
    return read.parse_args()


def binary(named):
    if named:
        return str(pathlib.Path(named).resolve())
    for build in ("release", "debug"):
        path = catalog.ROOT / "target" / build / "hapax"
        if path.is_file():
            return str(path)
    sys.exit("there is no hapax: `cargo build -p hapax`, or name one with --hapax")


def hapax_rival(path):
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout.split()
    return catalog.Rival("hapax", said[-1], "hapax")


def slots(chosen, given, durable_only="C"):
    """What is to be played, and which rows have no C: a store in memory is gone with its process."""
    for rival in chosen:
        for kind, hook in rival.rows():
            for scene in given.scenes:
                if scene == durable_only and not rival.durable:
                    continue
                for repetition in range(given.reps):
                    yield rival, kind, hook, scene, repetition


def run(slot, path, limit):
    rival, kind, hook, scene, repetition = slot
    played = play(rival, kind, hook, scene, path, limit)
    row = {"rival": rival.package, "kind": kind, "hook": hook, "scene": scene, "repetition": repetition}
    return row | played


def play_all(given, path):
    only = set(given.only.split(",")) if given.only else None
    found, missing = catalog.rivals(only)
    found.append(hapax_rival(path))
    todo = list(slots(found, given))
    random.Random(given.seed).shuffle(todo)
    runs = []
    with ThreadPoolExecutor(given.jobs) as pool:
        waiting = [pool.submit(run, slot, path, given.limit) for slot in todo]
        for done in as_completed(waiting):
            try:
                one = done.result()
            except BaseException:
                # Nothing half measured is shown: what runs is ended, and what waits doesn't begin.
                pool.shutdown(wait=False, cancel_futures=True)
                scenes.end_all()
                raise
            runs.append(one)
            hook = "+hook" if one["hook"] else ""
            say(
                f"{len(runs)}/{len(todo)} {one['rival']} {one['kind']}{hook} {one['scene']}: "
                f"{one['effects']} effects, {one['last']}, {one['seconds']:.1f} s"
            )
    return found, missing, sorted(runs, key=report.order)


def document(given, path, found, missing, runs):
    # Where things lie on this machine is nobody's business.
    shown = [pathlib.Path(word).name if word.startswith("/") else word for word in sys.argv[1:]]
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"
    return {
        "format": 1,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "command": " ".join([NAME, *shown]),
        "machine": machine,
        "build": pathlib.Path(path).parent.name,
        "limit_seconds": given.limit,
        "scenes": SCENES,
        "rivals": [
            {"package": one.package, "version": one.version, "store": one.store, "rows": one.rows()} for one in found
        ],
        "missing": [{"package": package, "version": version, "why": why} for package, version, why in missing],
        "runs": runs,
    }


def stop(*_):
    scenes.end_all()
    raise KeyboardInterrupt


def main():
    given = options()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if given.from_json:
        told = json.loads(pathlib.Path(given.from_json).read_text())
    else:
        wrong = check.differences(say)
        if wrong:
            sys.exit("the counter can't be trusted, nothing was measured:\n" + "\n".join(wrong))
        if given.self_check:
            say("self-check: every planted rival was counted as planted")
            return
        path = binary(given.hapax)
        told = document(given, path, *play_all(given, path))
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(told, indent=1) + "\n")
    print(report.text(told, colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
    if given.write:
        report.write(pathlib.Path(given.write), told)


if __name__ == "__main__":
    main()
