"""Starts `localstripe` on a free port of 127.0.0.1, with empty state, and says where.

Its own command listens on all interfaces, goes on with the state of the last run, and writes that state to one file
that all its processes share.
"""

import asyncio
import json
import sys

from aiohttp import web
from localstripe.resources import store
from localstripe.server import app


async def main() -> None:
    store.dump_to_disk = lambda: None
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    print(json.dumps({"url": f"http://127.0.0.1:{port}"}), flush=True)
    if "--stop-with-stdin" in sys.argv:
        # A test that is killed cannot stop what it started, but its end of the pipe closes.
        await asyncio.to_thread(sys.stdin.buffer.read)
    else:
        await asyncio.Event().wait()


asyncio.run(main())
