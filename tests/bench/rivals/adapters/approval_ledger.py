"""approval-ledger: README "Example" (SQLite file): an action is made and approved, and dispatched with a key.

https://pypi.org/project/approval-ledger/0.1.0/ A new process takes up the same action by its id.
"""

import pathlib
import threading

from approval_ledger import SQLiteLedger

KEYED = True
STORE = "SQLite"
MAKING = threading.Lock()


def guard(place):
    note = pathlib.Path(place.path("action-id"))

    def action(ledger):
        with MAKING:
            if note.exists():
                return note.read_text()
            made = ledger.create_action({"supplier": "acme", "amount": 1050}, required_gates=())
            ledger.approve(made.id, made.digest, approver="editor@example.test")
            note.write_text(made.id)
            return made.id

    def call():
        # A connection of SQLite belongs to its thread, so each caller opens the ledger for itself.
        ledger = SQLiteLedger(place.path("ledger.sqlite3"))
        paid = {}

        def dispatch(payload, key):
            paid.update(place.pay(key=key if place.keyed else None))
            return paid["id"]

        receipt = ledger.dispatch(action(ledger), dispatch)
        if receipt.status == "completed":
            return {"id": receipt.external_id}
        return {"running": "in flight", "indeterminate": "unknown"}.get(receipt.status, "error"), receipt.status

    return call
