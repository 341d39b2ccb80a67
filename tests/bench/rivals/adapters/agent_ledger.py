"""agent-ledger: README "Quick Start", with the MemoryStore that it names for prototyping.

https://pypi.org/project/agent-ledger/0.2.1/ Its durable store is a PostgreSQL server.
"""

from agent_ledger import EffectLedger, EffectLedgerOptions, MemoryStore, ToolCall

STORE = "memory"
WORDS = {"EffectFailedError": "failed", "EffectTimeoutError": "in flight"}


def guard(place):
    ledger = EffectLedger(EffectLedgerOptions(store=MemoryStore()))

    async def charge(effect):
        # Off the loop, as an async HTTP client would be.
        import asyncio

        return await asyncio.to_thread(place.pay)

    async def call():
        wanted = ToolCall(workflow_id="invoice-17", tool="charge", args={"amount": 1050, "supplier": "acme"})
        return await ledger.run(wanted, handler=charge)

    return call
