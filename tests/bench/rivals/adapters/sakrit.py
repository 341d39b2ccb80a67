"""sakrit: README "No agent framework?" (SQLite file, business key); `provider_key_param` for L2, `reconcile` for L1.

https://pypi.org/project/sakrit/0.0.2/ What `provider_key_param` is documented to put into the call isn't put there by this
version, so the call reads the key where the package keeps it, `current_key()`. Recovery runs by itself at the first call.
Four at once are workers, each with a connection of its own to a ledger that says `multi_worker=True`, as it asks for.
"""

from sakrit import ArgClass, EffectDecl, Sakrit, SqliteLedger, current_key
from sakrit.core.reconcile import Reconciliation

KEYED = True
HOOK = True
STORE = "SQLite"
WORDS = {"AmbiguousOutcome": "unknown", "EffectInFlightError": "in flight"}
SECRET = b"the bench's own deployment secret"


def guard(place):
    def asked(key):
        found = place.find()
        return Reconciliation.settled(found[0]) if found else Reconciliation.absent()

    more = {}
    if place.keyed:
        more = {"provider_key_param": "idempotency_key", "provider_ttl_s": 86400}
    elif place.hook:
        more = {"reconcile": asked}
    declared = EffectDecl("payment.charge", {"supplier": ArgClass.IDENTITY, "amount": ArgClass.IDENTITY}, **more)

    def worker(**how):
        sk = Sakrit(SqliteLedger(place.path("sakrit.db"), **how), secret=SECRET)

        @sk.effect(declared, key="invoice-17-charge")
        def charge(supplier: str, amount: int) -> dict:
            return place.pay(key=current_key() if place.keyed else None)

        return charge

    if place.together:
        return lambda: worker(multi_worker=True)(supplier="acme", amount=1050)
    alone = worker()
    return lambda: alone(supplier="acme", amount=1050)
