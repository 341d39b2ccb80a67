"""durastep: README "Quickstart"; SQLiteStore("durastep.db") is the default. It hands no key to the step.

https://pypi.org/project/durastep/0.1.0/ ("Limits" says that a crash before the result is stored runs the step again, and
that two workers on the same new step can both run it.)
"""

from durastep import run, step

STORE = "SQLite"


def guard(place):
    @step(name="charge")
    def charge(supplier: str, amount: int) -> dict:
        return place.pay()

    def call():
        with run("invoice-17"):
            return charge("acme", 1050)

    return call
