"""agent-once: README "Quickstart" (SQLite file), the key parameter of its second example; with a hook "Verify".

https://pypi.org/project/agent-once/0.1.0/ The hook's `stale_after`, which covers a process that died, has to be picked by
the user; 5 s is well above the call's 1 s.
"""

from once import NOT_HAPPENED, Once

KEYED = True
HOOK = True
STORE = "SQLite"
WORDS = {"EffectPending": "in flight", "EffectFailed": "failed", "EffectUnknown": "unknown"}


def guard(place):
    def verify(key, args):
        found = place.find()
        return found[0] if found else NOT_HAPPENED

    once = Once(place.path("once.db"), **({"stale_after": 5} if place.hook else {}))
    hook = {"verify": verify} if place.hook else {}
    if place.keyed:

        @once.tool(name="charge", **hook)
        def charge(amount: int, supplier: str, idempotency_key: str | None = None) -> dict:
            return place.pay(key=idempotency_key)

    else:

        @once.tool(name="charge", **hook)
        def charge(amount: int, supplier: str) -> dict:
            return place.pay()

    def call():
        with once.scope("invoice_17"):
            return charge(1050, "acme")

    return call
