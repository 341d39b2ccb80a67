"""deduplex: README "How it works (Python)", `Guard()` with its in-memory store; with keys the generic webhook connector.

https://pypi.org/project/deduplex/0.1.0/ Its durable stores are servers (Redis, its hosted API).
"""

from deduplex import Guard, derive_key
from deduplex import guard as guarded
from deduplex.connectors.webhook import post

KEYED = True
STORE = "memory"
WORDS = {"DuplicateInProgressError": "in flight", "StoreError": "failed"}


class Client:
    """What the connector asks for: a `post` shaped like that of `requests`."""

    def __init__(self, place):
        self.place = place

    def post(self, url, json, headers):
        return self.place.pay(key=headers.get("Idempotency-Key"))


def guard(place):
    g = Guard()
    if place.keyed:
        client, payload = Client(place), {"supplier": "acme", "amount": 1050}
        return lambda: post(g, client, f"{place.url}/v1/payments", payload)

    def key(supplier, amount):
        return derive_key(supplier, amount, namespace="charge")

    @guarded(key=key, guard_instance=g)
    def charge(supplier, amount):
        return place.pay()

    return lambda: charge("acme", 1050)
