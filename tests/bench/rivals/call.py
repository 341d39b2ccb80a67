"""A caller: one process that makes a guarded call until it succeeds, or has called often enough.

Started by scenes.py with a place as JSON. It says what each call told it, one JSON line each, as soon as it is known.
"""

import asyncio
import importlib
import inspect
import json
import sys
import threading
import time

from place import Place

PRINTING = threading.Lock()


def say(told, detail, receipt, seconds):
    with PRINTING:
        line = {"told": told, "detail": detail, "receipt": receipt, "seconds": seconds}
        print(json.dumps(line), flush=True)


def read(answer):
    """What a guard's return value tells: a pair (word, detail), or the payment itself."""
    if isinstance(answer, tuple):
        return answer[0], str(answer[1]), None
    receipt = answer.get("id") if isinstance(answer, dict) else None
    if receipt is None:
        return "error", f"returned {answer!r}", None
    return "succeeded", "", receipt


def ended(error, words):
    """What an exception tells: the adapter has words for those of its package; others are bare errors."""
    name = type(error).__name__
    return words.get(name, "error"), f"{name}: {error}"[:300], None


def once(call, words):
    began = time.monotonic()
    try:
        told = read(call())
    except Exception as error:
        told = ended(error, words)
    say(*told, time.monotonic() - began)
    return told[0] == "succeeded"


async def once_later(call, words):
    began = time.monotonic()
    try:
        told = read(await call())
    except Exception as error:
        told = ended(error, words)
    say(*told, time.monotonic() - began)
    return told[0] == "succeeded"


def in_threads(call, words, count):
    threads = [threading.Thread(target=once, args=(call, words)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def in_tasks(call, words, place):
    if place.together:
        await asyncio.gather(*(once_later(call, words) for _ in range(place.together)))
        return
    for number in range(place.calls):
        if number:
            await asyncio.sleep(place.pause)
        if await once_later(call, words):
            return


def main():
    place = Place.told(sys.argv[1])
    adapter = importlib.import_module(f"adapters.{place.adapter}")
    call, words = adapter.guard(place), getattr(adapter, "WORDS", {})
    if inspect.iscoroutinefunction(call):
        asyncio.run(in_tasks(call, words, place))
    elif place.together:
        in_threads(call, words, place.together)
    else:
        for number in range(place.calls):
            # No wait for anything: some guards look again only after a while, and a caller that retries at once
            # would never see it.
            time.sleep(place.pause if number else 0)
            if once(call, words):
                return


if __name__ == "__main__":
    main()
