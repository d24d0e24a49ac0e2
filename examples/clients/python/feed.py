"""The live feed for a bot: reconnects, authenticates and joins its rooms again."""

import asyncio
import json
from collections import deque
from contextlib import aclosing
from decimal import Decimal

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from exchange import ExchangeError
from wait_seconds import backoff_seconds

RENEW_AFTER_SECONDS = 45

# Yielded instead of an event: reload everything that depends on the feed from REST.
REFETCH = object()

JOIN = object()


class Feed:
    """
    `async for item in Feed(...)` yields each event, a dict with `type` and `data`, and REFETCH after the rooms are joined
    and whenever events may have been missed. Never ends; raises ExchangeError if no ticket is available.
    """

    def __init__(self, exchange, ws_url, rooms, sleep=asyncio.sleep):
        self._exchange = exchange
        self._url = f"{ws_url}/ws"
        self._rooms = rooms
        self._sleep = sleep
        self._socket = None
        # One entry per expected `synchronized`: JOIN, REFETCH, or a future.
        self._asked = deque()

    async def __aiter__(self):
        attempt = 0
        while True:
            try:
                async with aclosing(self._items()) as items:
                    async for item in items:
                        attempt = 0
                        yield item
            except (ConnectionClosed, InvalidHandshake, httpx.TransportError, OSError):
                pass
            await self._sleep(backoff_seconds(attempt))
            attempt += 1

    async def synchronize(self):
        """Returns after everything that the exchange sent before has been consumed."""
        answered = asyncio.get_running_loop().create_future()
        await self._ask_to_synchronize(answered)
        await answered

    async def _items(self):
        """Yields the items of one socket: fresh ticket, authenticate, subscribe, synchronize, then events."""
        ticket = await self._exchange.ticket()
        async with connect(self._url) as socket:
            self._socket = socket
            self._asked.clear()
            await self._send(action="authenticate", token=ticket)
            # The specification defines no response to authenticate; `synchronized` shows that
            # it succeeded.
            await self._ask_to_synchronize(JOIN)
            renewal = asyncio.create_task(self._renew(socket))
            try:
                async for text in socket:
                    frame = json.loads(text, parse_float=Decimal)
                    if frame.get("control") == "synchronized":
                        step = self._asked.popleft()
                        if step is JOIN:
                            await self._join()
                        elif step is REFETCH:
                            yield REFETCH
                        elif not step.done():
                            step.set_result(None)
                    elif frame.get("control") == "resync_required":
                        yield REFETCH
                    elif "type" in frame:
                        yield frame
                    # Ignores unknown controls.
            finally:
                renewal.cancel()
                self._give_up()

    async def _join(self):
        for room in self._rooms:
            await self._send(action="subscribe", room=room)
        await self._ask_to_synchronize(REFETCH)

    async def _renew(self, socket):
        """Without a new ticket the old one expires, and the socket closes and reconnects."""
        try:
            while True:
                await self._sleep(RENEW_AFTER_SECONDS)
                await self._send(action="authenticate", token=await self._exchange.ticket())
                await (await socket.ping())  # the pong confirms that the frame was processed
        except (ConnectionClosed, ExchangeError, httpx.TransportError):
            pass

    async def _ask_to_synchronize(self, then):
        self._asked.append(then)
        await self._send(action="synchronize")

    async def _send(self, **frame):
        await self._socket.send(json.dumps(frame))

    def _give_up(self):
        for step in self._asked:
            if isinstance(step, asyncio.Future) and not step.done():
                step.set_exception(ConnectionError("the socket closed before it was synchronized"))
