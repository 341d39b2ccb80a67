"""tenacity: a retry loop, the baseline. README "Stopping": a function that may raise is called again until it doesn't.

https://pypi.org/project/tenacity/9.2.1/ (`@retry(stop=stop_after_attempt(7))`). It knows no store and no key. At the keyed
provider the same loop sends one stable `Idempotency-Key`: what anybody can do without a guard.
"""

from tenacity import retry, stop_after_attempt

from place import INTENT

KEYED = True
STORE = "none"
CALLS = 1


def guard(place):
    @retry(stop=stop_after_attempt(3), reraise=True)
    def charge():
        return place.pay(key=INTENT if place.keyed else None)

    return charge
