"""agent-outbox: README "Usage", with the file that persists; `run` fills in `idempotency_key` if the function has it.

https://pypi.org/project/agent-outbox/0.1.1/ ("If the process dies mid-call" says that after 30 s another may run it again.)
"""

from agent_outbox import OutboxStore, ToolExecutor

KEYED = True
STORE = "SQLite"


def guard(place):
    executor = ToolExecutor(OutboxStore(place.path("outbox.db")))

    def plain(supplier, amount):
        return place.pay()

    def keyed(supplier, amount, idempotency_key=None):
        return place.pay(key=idempotency_key)

    def call():
        args = {"supplier": "acme", "amount": 1050}
        done = executor.run("charge", keyed if place.keyed else plain, args, "agent-session-1")
        return done.result if done.ok else ("failed", f"replay={done.replay} {done.error}")

    return call
