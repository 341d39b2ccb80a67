"""Planted, for --self-check: one request per process that is answered, and that answer ever after. It
remembers nothing of an answer that was lost, but has a stable key."""

import threading

from place import INTENT

STORE = "none"


def guard(place):
    lock, paid = threading.Lock(), {}

    def call():
        with lock:
            if not paid:
                paid.update(place.pay(key=INTENT if place.keyed else None))
            return paid

    return call
