"""The stub exchange for tests: its control API, and its clock, which only tests move."""

import asyncio
import json
import math
import os
from pathlib import Path

import httpx


class Stub:
    """Connects to the stub that the environment names: profile with wallets, API token with its wallet, and control token."""

    def __init__(self):
        path = Path(os.environ["BREAKWATER_PROFILE"])
        self.profile = json.loads(path.read_text())
        self.wallets = json.loads((path.parent / self.profile["credentials"]["wallets"]).read_text())
        self.token = os.environ["BREAKWATER_API_TOKENS"]
        self.address = os.environ["BREAKWATER_ADDRESS"]
        headers = {"Authorization": f"Bearer {os.environ['BREAKWATER_CONTROL_TOKEN']}"}
        self._http = httpx.AsyncClient(base_url=self.profile["control"], headers=headers, timeout=60)

    async def aclose(self):
        await self._http.aclose()

    async def read(self, resource):
        return (await self._http.get(resource)).raise_for_status().json()

    async def control(self, resource, **body):
        return (await self._http.post(resource, json=body)).raise_for_status().json()

    async def advance(self, seconds):
        await self.control("/clock/advance", ms=math.ceil(seconds * 1000))


class ManualClock:
    """Replaces the clients' sleep: they wake when a test advances this clock and the stub's."""

    def __init__(self, stub):
        self._stub = stub
        self._now = 0.0
        self._due = {}
        self._slept = asyncio.Event()

    async def sleep(self, seconds):
        woken = asyncio.get_running_loop().create_future()
        self._due[woken] = self._now + seconds
        self._slept.set()
        try:
            await woken
        finally:
            self._due.pop(woken, None)

    def next_sleep(self):
        """Returns an awaitable that ends when a client next goes to sleep."""
        self._slept = asyncio.Event()
        return self._slept.wait()

    async def advance(self, seconds):
        """Returns after every client that woke up sleeps again."""
        until = self._now + seconds
        while self._due and min(self._due.values()) <= until:
            woken = min(self._due, key=self._due.get)
            # One that fell asleep while the clock moved may be due earlier.
            await self._move_to(max(self._now, self._due.pop(woken)))
            again = self.next_sleep()
            woken.set_result(None)
            await again
        await self._move_to(until)

    async def _move_to(self, now):
        await self._stub.advance(now - self._now)
        self._now = now
