"""idemkit: README "Method calls and AI tools", the decorator for sync code; InMemoryBackend as in its first example.

https://pypi.org/project/idemkit/1.0.2/ Its durable backends are servers (Redis, PostgreSQL, MongoDB, DynamoDB).
"""

from idemkit import InMemoryBackend, MethodConfig, idempotent_sync

STORE = "memory"


def guard(place):
    @idempotent_sync(backend=InMemoryBackend(), config=MethodConfig(key_fields=["supplier", "amount"]))
    def charge(*, supplier, amount):
        return place.pay()

    return lambda: charge(supplier="acme", amount=1050)
