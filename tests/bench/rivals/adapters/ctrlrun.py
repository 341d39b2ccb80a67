"""ctrlrun: README "Use it in three steps" (policy file, SQLite state); with a hook `reconcile`.

https://pypi.org/project/ctrlrun/0.12.2/ It hands no key to the function. A hook is
asked once the lease is over; 5 s is well above the call's 1 s.
"""

import datetime
import pathlib

HOOK = True
STORE = "SQLite"
WORDS = {"AmbiguousEffect": "unknown"}
POLICY = """schema: ctrlrun.policy/v2

actions:
  payments.pay:
    effect: "pay:{invoice}"
    rules:
      - when: { amount_gte: 0, amount_lte: 50000 }
        decision: allow
      - decision: deny
"""


def guard(place):
    pathlib.Path(place.path("ctrlrun.yaml")).write_text(POLICY)
    import ctrlrun

    def asked(effect_key):
        return "committed" if place.find() else "not_executed"

    more = {"reconcile": asked, "lease": datetime.timedelta(seconds=5)} if place.hook else {}

    @ctrlrun.protect("payments.pay", effect="pay:{invoice}", **more)
    def pay(invoice: str, amount: int) -> dict:
        return place.pay()

    def call():
        with ctrlrun.context(agent="support-agent"):
            try:
                return pay(invoice="17", amount=1050)
            except ctrlrun.DuplicateEffect as error:
                # It never replays a result; that the effect was committed it does say.
                return "happened" if "already committed" in str(error) else "in flight", error

    return call
