"""replyonce: README "30-second quickstart" (MemoryStore); `ctx.idempotency_key` for the provider, `reconcile` as the hook.

https://pypi.org/project/replyonce/0.1.3/ Its durable stores are servers (PostgreSQL, Redis).
"""

import asyncio

from replyonce import Key, MemoryStore, ReplyOnce

KEYED = True
HOOK = True
STORE = "memory"
TOLD = {"ambiguous": "unknown", "in_flight": "in flight"}


def guard(place):
    async def asked(entry):
        found = await asyncio.to_thread(place.find)
        return {"outcome": "committed", "result": found[0]} if found else {"outcome": "not_applied"}

    once = ReplyOnce(MemoryStore(), **({"reconcile": asked} if place.hook else {}))

    async def charge(ctx):
        return await asyncio.to_thread(place.pay, key=ctx.idempotency_key if place.keyed else None)

    async def call():
        done = await once.once(Key("invoice-17", "charge", {"supplier": "acme", "cents": 1050}), charge)
        return done.value if done.ok else (TOLD.get(done.status, "error"), done.status)

    return call
