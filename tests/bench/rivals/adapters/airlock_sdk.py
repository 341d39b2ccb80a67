"""airlock-sdk: README "Quickstart" (SQLite file, policy AUTO), and "Exactly-once, or honest about it" for key and probe.

https://pypi.org/project/airlock-sdk/0.3.0/ Without key and probe it warns and runs at most once. With the probe
`reconcile_after` is set too, so that it is asked by the calls themselves; otherwise that is left to its reconciler
(`python -m airlock reconcile`), which a person or a timer runs. 5 s is well above the call's 1 s.
"""

import datetime
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
        # What a probe found becomes the call's result.
        return (Verification.PRESENT, found[0]) if found else (Verification.ABSENT, None)

    if place.keyed:

        @airlock.guard("payment.charge", effect=Effect(key_param="idempotency_key"))
        def charge(supplier, amount, *, idempotency_key=None):
            return place.pay(key=idempotency_key)

    else:

        @airlock.guard("payment.charge", **({"effect": Effect(verify=verify)} if place.hook else {}))
        def charge(supplier, amount):
            return place.pay()

    policy = Policy(rules=[Rule(match="payment.*", decision=Decision.AUTO)])
    more = {"reconcile_after": datetime.timedelta(seconds=5)} if place.hook else {}
    app = airlock.init(policy=policy, store=f"sqlite:///{place.path('airlock.db')}", **more)

    def call():
        # Which runtime counts is a context variable, and a new thread doesn't inherit it.
        airlock.init(policy=policy, store=app.store, **more)
        return charge("acme", 1050)

    return call
