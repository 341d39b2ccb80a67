"""Planted, for --self-check: one call, one request, and the same answer ever after."""

import threading

STORE = "none"


def guard(place):
    lock, paid = threading.Lock(), {}

    def call():
        with lock:
            if not paid:
                paid.update(place.pay())
            return paid

    return call
