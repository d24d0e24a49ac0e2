"""The stub exchange as a test has it: its control API, and its clock, which stands still unless it is moved."""

import asyncio
import json
import math
import os
from pathlib import Path

import httpx


class Stub:
    """The one that the environment names: its profile, an API token and the wallet of that, the control API's token."""

    def __init__(self):
        self.profile = json.loads(Path(os.environ["BREAKWATER_PROFILE"]).read_text())
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
    """For clients that sleep again and again: each wakes when a test moves the clock, and the stub's, that far."""

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
        """To be awaited: until somebody goes to sleep, from this call on."""
        self._slept = asyncio.Event()
        return self._slept.wait()

    async def advance(self, seconds):
        """Returns once all who woke have gone to sleep again."""
        until = self._now + seconds
        while self._due and min(self._due.values()) <= until:
            woken = min(self._due, key=self._due.get)
            await self._move_to(self._due.pop(woken))
            again = self.next_sleep()
            woken.set_result(None)
            await again
        await self._move_to(until)

    async def _move_to(self, now):
        await self._stub.advance(now - self._now)
        self._now = now
