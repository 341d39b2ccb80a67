"""agentraas: README "Library mode: no server needed", SQLite file by default; the key parameter is its second example.

https://pypi.org/project/agentraas/0.14.0/
"""

from agentraas.local import exactly_once

KEYED = True
STORE = "SQLite"
WORDS = {"InFlightError": "in flight"}


def guard(place):
    if place.keyed:

        @exactly_once()
        def charge(customer, amount, idempotency_key=None):
            return place.pay(key=idempotency_key)

    else:

        @exactly_once()
        def charge(customer, amount):
            return place.pay()

    return lambda: charge("acme", 1050)
