"""hapax: the command line with a declared cell, as docs/declare says it; one `hapax run` is one call.

`hapax init` makes configuration, ledger and secret before the first caller begins; no option differs from its default.
"""

import json
import pathlib
import subprocess

from place import AMOUNT, INTENT, SUPPLIER

KEYED = True
HOOK = False
STORE = "SQLite"
HERE = pathlib.Path(__file__).resolve().parent.parent
WORDS = {}


def prepare(place):
    ran([place.hapax, "init"], place)
    declaration = HERE / "hapax" / f"{place.kind}.toml"
    config = pathlib.Path(place.path("hapax.toml"))
    # What `hapax init` wrote has a connection to a stand-in of Stripe, which isn't wanted here.
    ours = config.read_text().split("[connections.", 1)[0]
    connection = f'[connections.shop]\nintegration = "{place.kind}"\nbase_url = "{place.url}"\nstand_in = true\n'
    config.write_text(f'declarations = ["{declaration}"]\n{ours}{connection}')


def ran(line, place):
    return subprocess.run(line, cwd=place.store, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def guard(place):
    args = json.dumps({"amount": AMOUNT, "supplier": SUPPLIER})
    line = [place.hapax, "run", f"{place.kind}.pay", "--key", INTENT, "--args", args, "--json"]

    def call():
        done = ran(line, place)
        try:
            said = json.loads(done.stdout)
        except ValueError:
            return "error", f"exit {done.returncode}: {done.stderr[-300:]}"
        if said.get("outcome") == "succeeded":
            return said["receipt"]
        if said["exit"] == 5:
            return "person", said.get("why")
        if said["exit"] == 3:
            return "refused", said["reason"]
        return "unknown" if said["exit"] == 4 else "error", said.get("why") or said

    return call
