"""sakrit: README "No agent framework?" (SQLite file, business key); `provider_key_param` for L2, `reconcile` for L1.

https://pypi.org/project/sakrit/0.0.2/ Its "startup recovery scan" is run as each process begins.
"""

from sakrit import ArgClass, EffectDecl, Sakrit, SqliteLedger
from sakrit.core.reconcile import Reconciliation

KEYED = True
HOOK = True
STORE = "SQLite"
WORDS = {"AmbiguousOutcome": "unknown", "EffectInFlightError": "in flight"}


def guard(place):
    def asked(key):
        found = place.find()
        return Reconciliation.settled(found[0]) if found else Reconciliation.absent()

    more = {}
    if place.keyed:
        more = {"provider_key_param": "idempotency_key", "provider_ttl_s": 86400}
    elif place.hook:
        more = {"reconcile": asked}
    sk = Sakrit(SqliteLedger(place.path("sakrit.db")), secret=b"the bench's own deployment secret")
    declared = EffectDecl("payment.charge", {"supplier": ArgClass.IDENTITY, "amount": ArgClass.IDENTITY}, **more)

    @sk.effect(declared, key="invoice-17-charge")
    def charge(supplier: str, amount: int, idempotency_key: str | None = None) -> dict:
        return place.pay(key=idempotency_key)

    @sk.effect(declared, key="invoice-17-charge")
    def bare(supplier: str, amount: int) -> dict:
        return place.pay()

    sk.recover()
    return lambda: (charge if place.keyed else bare)(supplier="acme", amount=1050)
