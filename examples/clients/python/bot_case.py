"""Shared setup of the bot's tests: the stub, a client, and the clock of both."""

import unittest

from exchange import Exchange
from feed import REFETCH, Feed
from inbox import Inbox
from session import SessionExchange
from stub import ManualClock, Stub

ACCESS_SECONDS = 15 * 60


class BotCase(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.stub = Stub()
        self.addAsyncCleanup(self.stub.aclose)
        self.waits = []
        self.exchange = Exchange(self.stub.profile, self.stub.token, sleep=self.jump)
        await self.enterAsyncContext(self.exchange)
        self.clock = ManualClock(self.stub)
        self.choices = self.stub.profile["choices"]

    async def jump(self, seconds):
        self.waits.append(seconds)
        await self.stub.advance(seconds)

    async def open_session(self, store=None, exchange_class=SessionExchange):
        """Uses the last wallet with access, which has no API token."""
        wallet = [wallet for wallet in self.stub.wallets if wallet["hasAccess"] and not wallet["admin"]][-1]
        return await self.enterAsyncContext(exchange_class(self.stub.profile, wallet, store, sleep=self.jump))

    async def open_feed(self, rooms, feed_class=Feed):
        feed = feed_class(self.exchange, self.stub.profile["wsUrl"], rooms, sleep=self.clock.sleep)
        inbox = Inbox(feed)
        self.addAsyncCleanup(inbox.aclose)
        self.assertIs(await inbox.next(), REFETCH)
        return inbox

    async def busiest_pool(self):
        sorts = self.choices["explorePools"]["sort"]
        by_value = next(name for name, sort in sorts.items() if sort["field"] == "tvlUsd")
        [pool] = (await self.exchange.get("/explore/pools", sort=by_value, order="desc", limit=1))["data"]
        return pool

    async def let_time_pass(self, seconds):
        """Mines a block every half second."""
        await self.stub.control("/mining", mode="interval", intervalMs=500)
        await self.clock.advance(seconds)
        await self.stub.control("/mining", mode="paused")
