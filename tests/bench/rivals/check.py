"""Whether the counter counts: planted rivals whose counts are known. Runs before every real run."""

from catalog import Rival
from scenes import play

# Planted rival, kind of provider, scene; then effects, requests, and what the last caller learns.
EXPECTED = [
    ("planted_once", "plain", "one", 1, 1, "succeeded"),
    ("planted_twice", "plain", "one", 2, 2, "succeeded"),
    ("planted_never", "plain", "one", 0, 0, "false success"),
    ("planted_once", "plain", "A", 2, 2, "succeeded"),
    ("planted_once", "plain", "B", 2, 2, "succeeded"),
    ("planted_once", "plain", "C", 2, 2, "succeeded"),
    ("planted_once", "plain", "D", 1, 1, "succeeded"),
    ("planted_twice", "plain", "D", 8, 8, "succeeded"),
    ("planted_once", "keyed", "A", 1, 2, "succeeded"),
    ("planted_once", "keyed", "B", 1, 2, "succeeded"),
    ("planted_once", "keyed", "C", 1, 2, "succeeded"),
    ("planted_once", "searchable", "A", 2, 2, "succeeded"),
]


def differences(say):
    """What was counted otherwise than planted, in sentences."""
    found = []
    for adapter, kind, scene, effects, requests, last in EXPECTED:
        run = play(Rival("planted", "0", adapter), kind, False, scene)
        counted = (run["effects"], run["requests"], run["last"])
        line = f"self-check {adapter} {kind} {scene}: {counted[0]} effects, {counted[1]} requests, {counted[2]}"
        say(line)
        if counted != (effects, requests, last):
            found.append(f"{line}; planted: {effects} effects, {requests} requests, {last} {run['details']}")
    return found
