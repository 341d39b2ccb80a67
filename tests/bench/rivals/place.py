"""Where a caller stands: its store, and the provider it calls. Adapters see nothing else."""

import http.client
import json
import os
import urllib.parse

# How long a caller waits for an answer, as its HTTP client is told.
PATIENCE = 1.0

AMOUNT, SUPPLIER = 1050, "acme"
# The caller's stable name for what it wants once. The provider is told it as the payment's reference.
INTENT = "invoice:17"


class Place:
    def __init__(self, adapter, url, kind, hook, store, calls, together, hapax=None, pause=0.0):
        self.adapter, self.url, self.kind, self.hook = adapter, url, kind, hook
        self.store, self.calls, self.together, self.hapax, self.pause = store, calls, together, hapax, pause

    @classmethod
    def told(cls, text):
        return cls(**json.loads(text))

    def said(self):
        return json.dumps(self.__dict__)

    def path(self, name):
        return os.path.join(self.store, name)

    @property
    def keyed(self):
        return self.kind == "keyed"

    def pay(self, key=None, **_):
        """One plain request, as any HTTP client makes it: no retry, and a time-out. A lost answer is an exception."""
        body = {"amount": AMOUNT, "supplier": SUPPLIER, "reference": INTENT}
        return self._ask("POST", "/v1/payments", body, {"Idempotency-Key": key} if key else {})

    def find(self):
        """What the provider has under our reference: what a reconcile hook asks."""
        query = urllib.parse.urlencode({"reference": INTENT})
        return self._ask("GET", f"/v1/payments?{query}", None, {})["data"]

    def _ask(self, method, path, body, headers):
        host = urllib.parse.urlsplit(self.url).netloc
        connection = http.client.HTTPConnection(host, timeout=PATIENCE)
        try:
            text = json.dumps(body) if body else None
            connection.request(method, path, text, {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            value = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status >= 400:
            raise RuntimeError(f"the provider says {answer.status} {value.get('code')}")
        return value
