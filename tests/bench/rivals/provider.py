"""A provider on 127.0.0.1 that counts effects and can lose the answer to the first of them.

What it "documents", for those that ask for a declaration: `POST /v1/payments` with an amount, a supplier and a reference
makes a payment and answers 201 with its id. An error has a `code`. A request is acted on within a second after its
connection is closed, or never. Of kind

- `plain`: nothing else. A header that it doesn't know is ignored; there is no list;
- `keyed`: `Idempotency-Key` is remembered for 24 hours. Of two requests with one key at once one pays, the other waits,
  and a repeat gets the first answer;
- `searchable`: `GET /v1/payments?reference=...` lists payments, all of them at once after they were made, for ever.
"""

import json
import socket
import struct
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KINDS = ("plain", "keyed", "searchable")
# What becomes of the answer to the first payment: it comes, it never comes, or the connection is reset.
FAULTS = ("none", "hang", "reset")


class Provider:
    """One provider with its effects. Each scene has its own, so that nothing is left over from another."""

    def __init__(self, kind, fault="none", takes=0.0):
        self.kind, self.fault, self.takes = kind, fault, takes
        self.effects = []
        self.requests = 0
        self.by_key = {}
        self.lock = threading.Lock()
        # Set once the first effect has happened.
        self.committed = threading.Event()
        # Set at the end: whoever hangs may go.
        self.over = threading.Event()
        # Connections that may still cause an effect: counted as they are accepted, until they end or hang.
        self.open = 0
        self.changed = threading.Condition()
        self.server = _server(self)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()

    def count(self, more):
        with self.changed:
            self.open += more
            self.changed.notify_all()

    def quiet(self, limit=10.0):
        """Waits until nothing is under way any more: connections are accepted in the order in which they came."""
        with socket.create_connection(self.server.server_address, timeout=limit) as last:
            last.sendall(b"GET / HTTP/1.0\r\n\r\n")
            while last.recv(4096):
                pass
        with self.changed:
            return self.changed.wait_for(lambda: self.open == 0, limit)

    def pay(self, wanted, key):
        """Makes a payment, or finds the one that its key names. Says whether it was the first."""
        # Of two with one key the second waits here, and gets the first's payment.
        with self.lock:
            self.requests += 1
            known = self.by_key.get(key) if key and self.kind == "keyed" else None
            if known:
                return known, False
            number = len(self.effects) + 1
            payment = {
                "id": f"pay_{number}",
                "amount": wanted.get("amount"),
                "supplier": wanted.get("supplier"),
                "reference": wanted.get("reference"),
            }
            self.effects.append(payment)
            if key and self.kind == "keyed":
                self.by_key[key] = payment
            first = number == 1
        self.committed.set()
        return payment, first

    def found(self, reference):
        with self.lock:
            return [payment for payment in self.effects if payment["reference"] == reference]


def _server(provider):
    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def process_request(self, request, address):
            provider.count(1)
            super().process_request(request, address)

        def handle_error(self, request, address):
            # A caller that was killed or gave up isn't there to be answered: that is what scenes are made of.
            if not isinstance(sys.exc_info()[1], OSError):
                super().handle_error(request, address)

    return Server(("127.0.0.1", 0), _handler(provider))


def _handler(provider):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        hung = False

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if urllib.parse.urlsplit(self.path).path != "/v1/payments":
                return self.answer(404, {"code": "no_such_path"})
            try:
                wanted = json.loads(body)
            except ValueError:
                return self.answer(400, {"code": "not_json"})
            if provider.takes:
                time.sleep(provider.takes)
            payment, first = provider.pay(wanted, self.headers.get("Idempotency-Key"))
            if first and provider.fault == "hang":
                # It did all it will do.
                self.hung = True
                provider.count(-1)
                provider.over.wait()
                self.close_connection = True
                return None
            if first and provider.fault == "reset":
                # A close with nothing left to say is a reset: what the kernel sends if there is no time to linger.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.shutdown(socket.SHUT_RD)
                self.connection.close()
                self.close_connection = True
                return None
            return self.answer(201, payment)

        def do_GET(self):
            place = urllib.parse.urlsplit(self.path)
            if place.path != "/v1/payments" or provider.kind != "searchable":
                return self.answer(404, {"code": "no_such_path"})
            reference = urllib.parse.parse_qs(place.query).get("reference", [""])[0]
            return self.answer(200, {"data": provider.found(reference)})

        def answer(self, status, value):
            body = json.dumps(value).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

        def finish(self):
            try:
                super().finish()
            except (OSError, ValueError):
                pass
            if not self.hung:
                provider.count(-1)

        def log_message(self, *_):
            pass

    return Handler
