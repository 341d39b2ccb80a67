"""airlock-sdk: README "Quickstart" (SQLite file, policy AUTO), and "Exactly-once, or honest about it" for key and probe.

https://pypi.org/project/airlock-sdk/0.3.0/ Without key and probe it warns and runs at most once. What is left by a dead
process is for its reconciler (`python -m airlock reconcile`), which a person or a timer runs; it is not run here.
"""

import warnings

import airlock
from airlock import Decision, Effect, Policy, Rule
from airlock.types import Verification

KEYED = True
HOOK = True
STORE = "SQLite"
WORDS = {"CommitWaitTimeout": "in flight", "VerificationUnknown": "unknown", "CommitFailed": "failed"}


def guard(place):
    warnings.simplefilter("ignore")

    def verify(**_):
        found = place.find()
        return (Verification.PRESENT if found else Verification.ABSENT), {"found": len(found)}

    if place.keyed:

        @airlock.guard("payment.charge", effect=Effect(key_param="idempotency_key"))
        def charge(supplier, amount, *, idempotency_key=None):
            return place.pay(key=idempotency_key)

    else:

        @airlock.guard("payment.charge", **({"effect": Effect(verify=verify)} if place.hook else {}))
        def charge(supplier, amount):
            return place.pay()

    policy = Policy(rules=[Rule(match="payment.*", decision=Decision.AUTO)])

    app = airlock.init(policy=policy, store=f"sqlite:///{place.path('airlock.db')}")

    def call():
        # Which runtime counts is a context variable, and a new thread doesn't inherit it.
        airlock.init(policy=policy, store=app.store)
        return charge("acme", 1050)

    return call
