"""effect-ledger: README "Execution contract" (SQLite file), the executor by itself; `operation.provider_key` for the
provider, and a `RecoveryPolicy` as the hook, consulted by `recover` when an operation is unresolved.

https://pypi.org/project/effect-ledger/0.1.2/
"""

from effect_ledger import EffectExecutor, RecoveryDecision

KEYED = True
HOOK = True
STORE = "SQLite"
TOLD = {"indeterminate": "unknown", "in_flight": "in flight"}


def guard(place):
    def asked(operation):
        found = place.find()
        if not found:
            return None
        reason = "the provider lists the payment"
        return RecoveryDecision("complete", f"found-{operation.operation_id}", reason, found[0])

    more = {"recovery": asked} if place.hook else {}
    executor = EffectExecutor(place.path("effects.sqlite"), scope="account-1", **more)

    def charge(operation):
        return place.pay(key=operation.provider_key if place.keyed else None)

    def call():
        request = {"amount": 1050, "supplier": "acme"}
        done = executor.execute("invoice-17", "payment.charge:v1", request, charge)
        # Recovery asks its caller to say that no worker is left. Alone, a caller may; of four at once none knows.
        if place.hook and not place.together and done.state in TOLD:
            done = executor.recover("invoice-17", workers_stopped=True)
        return done.result if done.state == "completed" else (TOLD.get(done.state, "error"), done.state)

    return call
