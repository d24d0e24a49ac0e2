"""The live feed for a bot: one socket after another, always authenticated, always in the same rooms."""

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

# A ticket lasts 60 seconds.
RENEW_AFTER_SECONDS = 45

# Comes in place of an event: load anew from REST whatever depends on the feed.
REFETCH = object()

JOIN = object()


class Feed:
    """
    `async for item in Feed(...)` gives each event, a dict with `type` and `data`, and REFETCH once the rooms are joined
    and whenever events may have been missed. Goes on for ever; ExchangeError where there are no more tickets to be had.
    """

    def __init__(self, exchange, ws_url, rooms, sleep=asyncio.sleep):
        self._exchange = exchange
        self._url = f"{ws_url}/ws"
        self._rooms = rooms
        self._sleep = sleep
        self._socket = None
        # What each `synchronized` that is still to come stands for: JOIN, REFETCH, or somebody's future.
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
        """Returns once all that the exchange had sent before has been taken from the feed."""
        answered = asyncio.get_running_loop().create_future()
        await self._ask_to_synchronize(answered)
        await answered

    async def _items(self):
        """Those of one socket: a fresh ticket, authenticate, every subscription, synchronize, then events."""
        ticket = await self._exchange.ticket()
        async with connect(self._url) as socket:
            self._socket = socket
            self._asked.clear()
            await self._send(action="authenticate", token=ticket)
            # What authentication is answered with is not stated; the answer to this says that it succeeded.
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
                    # Other controls may come, and are ignored.
            finally:
                renewal.cancel()
                self._give_up()

    async def _join(self):
        for room in self._rooms:
            await self._send(action="subscribe", room=room)
        await self._ask_to_synchronize(REFETCH)

    async def _renew(self, socket):
        """Where there is no ticket, the old one ends the socket, and all begins anew."""
        try:
            while True:
                await self._sleep(RENEW_AFTER_SECONDS)
                await self._send(action="authenticate", token=await self._exchange.ticket())
                await (await socket.ping())  # answered once the frame has been dealt with
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
