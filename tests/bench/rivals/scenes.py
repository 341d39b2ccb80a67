"""The scenes. Each has a provider, a store and processes of its own."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter

from place import Place
from provider import Provider

HERE = pathlib.Path(__file__).resolve().parent
SCENES = {
    "A": "the provider pays, then says nothing until the client times out; two more calls",
    "B": "the provider pays, then resets the connection; two more calls",
    "C": "the process is killed right after the payment; a new one calls three times, 3 s apart",
    "D": "four callers at once",
}
# Past this a caller is killed, and what it told until then counts. Above the longest wait that any default here has.
LIMIT = 150.0
# Between calls of C, so that guards which look again only after some seconds (both that say how many were told 5) do.
PAUSE = 3.0
# How long the provider takes in D, so that the callers do meet.
TAKES = 0.3


# Callers that run, and whether any may still be started.
ALIVE, OVER = set(), threading.Event()


def end_all():
    """Ends all callers: they are in groups of their own, so nobody else would."""
    OVER.set()
    for caller in list(ALIVE):
        caller.kill_group()


class Caller:
    """A process of call.py, in a group of its own: what it starts ends with it."""

    def __init__(self, rival, place):
        if OVER.is_set():
            raise InterruptedError("no caller is started any more")
        environment = dict(os.environ, HOME=place.store, PYTHONDONTWRITEBYTECODE="1")
        environment["PYTHONPATH"] = os.pathsep.join([str(HERE), str(rival.folder)])
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "call.py"), place.said()],
            cwd=place.store,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        ALIVE.add(self)

    def kill_group(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def kill(self):
        self.kill_group()
        return self.ended(None)

    def ended(self, limit):
        said = self.process.communicate(timeout=limit)
        ALIVE.discard(self)
        return said

    def told(self, limit):
        """What its calls told, and whether it had to be stopped."""
        stopped = False
        try:
            out, err = self.ended(limit)
        except subprocess.TimeoutExpired:
            stopped = True
            out, err = self.kill()
        told = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        if not told and not stopped:
            lines = err.strip().splitlines() or ["it said nothing"]
            told = [{"told": "broken", "detail": lines[-1][:300], "receipt": None, "seconds": 0.0}]
        return told, stopped


def prepare(rival, place):
    """What is there before the first caller. Only hapax has something: `hapax init`, and its declaration."""
    if rival.adapter == "hapax":
        from adapters import hapax

        hapax.prepare(place)


def play(rival, kind, hook, scene, hapax=None, limit=LIMIT):
    """Plays one scene once."""
    fault = {"A": "hang", "B": "reset", "C": "hang"}.get(scene, "none")
    provider = Provider(kind, fault, TAKES if scene == "D" else 0.0)
    with tempfile.TemporaryDirectory(prefix="rivals-") as store:
        together, pause = 4 if scene == "D" else 0, PAUSE if scene == "C" else 0.0
        # "one" is no scene of the bench: a single call, of --self-check.
        calls = 1 if scene == "one" else rival.calls
        place = Place(rival.adapter, provider.url, kind, hook, store, calls, together, hapax, pause)
        try:
            prepare(rival, place)
            if scene == "C":
                first = Caller(rival, place)
                happened = provider.committed.wait(20)
                _, err = first.kill()
                if not happened:
                    return _result([], False, 0.0, provider, broken=f"the first process paid nothing: {err[-300:]}")
            began = time.monotonic()
            told, stopped = Caller(rival, place).told(limit)
            seconds = time.monotonic() - began
            provider.quiet()
            return _result(told, stopped, seconds, provider)
        finally:
            provider.close()


def _result(told, stopped, seconds, provider, broken=None):
    ids = [payment["id"] for payment in provider.effects]
    for answer in told:
        # A success counts if it names a payment that was made.
        if answer["told"] == "succeeded" and answer["receipt"] not in ids:
            answer["told"], answer["detail"] = "false success", f"{answer['receipt']} is no payment"
    words = [answer["told"] for answer in told]
    if broken:
        words = ["broken"]
    return {
        "effects": len(ids),
        "requests": provider.requests,
        "last": "nothing within the limit" if stopped else (words[-1] if words else "nothing"),
        "all": dict(Counter(words)),
        "seconds": round(seconds, 3),
        "stopped": stopped,
        "details": [broken] if broken else [answer["detail"] for answer in told],
    }
