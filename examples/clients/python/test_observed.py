"""Checks bots with the stub's observer: a correct bot breaks no rule, and a wrong one breaks a known rule."""

import asyncio
import unittest

from bot_case import ACCESS_SECONDS, BotCase
from feed import REFETCH, Feed
from never_resubscribes import NeverResubscribes
from pool_watch import PoolWatch
from quotes import Quotes
from session_store import SessionStore


class ObservedTest(BotCase):
    async def test_draws_no_finding_through_restarts_and_a_reorganization(self):
        self.assertEqual(await self.broken_in_a_while(Feed), [])

    async def test_is_caught_where_it_never_resubscribes(self):
        self.assertEqual(await self.broken_in_a_while(NeverResubscribes), ["client.reconnect.resubscribes"])

    async def test_draws_no_finding_through_many_restarts(self):
        before, handled = await self.last_finding(), await self.handled("client.reconnect.backs-off")
        watch = PoolWatch(self.exchange, (await self.busiest_pool())["key"])
        await watch.refetch()
        inbox = await self.open_feed(watch.rooms)
        for _ in range(12):
            closing = self.clock.next_sleep()
            await self.stub.control("/gateway/restart")
            await closing
            await self.clock.advance(2)
            self.assertIs(await inbox.next(), REFETCH)
            await watch.refetch()
        self.assertEqual(await self.broken_since(before), [])
        self.assertGreater(await self.handled("client.reconnect.backs-off"), handled)

    async def test_draws_no_finding_where_events_are_lost(self):
        before, handled = await self.last_finding(), await self.handled("client.resync.refetches")
        watch = PoolWatch(self.exchange, (await self.busiest_pool())["key"])
        await watch.refetch()
        inbox = await self.open_feed(watch.rooms)
        await self.apply_fault(fault="ws-drop", where={"rooms": ["pool_stats:*"]}, resync=True, when={"times": 10})
        for _ in range(10):
            await self.let_time_pass(10)
            for item in await inbox.take():
                if item is REFETCH:
                    await watch.refetch()
        self.assertEqual(await self.broken_since(before), [])
        self.assertGreater(await self.handled("client.resync.refetches"), handled)

    async def test_draws_no_finding_where_a_revision_is_pending(self):
        before, handled = await self.last_finding(), await self.handled("client.config.retries-pending")
        pool = await self.busiest_pool()
        quotes = Quotes(self.exchange)
        await quotes.ask(pool["token0"], pool["token1"], 1000)
        inbox = await self.open_feed(["protocol_config"])
        routes = {"routes": ["GET /protocol/state"]}
        await self.apply_fault(fault="stale-read", behindMs=5000, where=routes)
        for _ in range(3):
            await self.stub.control("/revision", scope="fee_tiers", key="3000")
            [event] = await inbox.take()
            await quotes.config_changed(event)
            await self.clock.advance(40)
        self.assertEqual(await self.broken_since(before), [])
        self.assertGreater(await self.handled("client.config.retries-pending"), handled)

    async def test_programs_with_a_session_draw_no_finding(self):
        before, handled = await self.last_finding(), await self.handled("client.refresh.retries-after-409")
        store = SessionStore()
        programs = [await self.open_session(store) for _ in range(3)]
        for _ in range(2):
            for program in programs:
                await program.get("/swaps", limit=10)
                created = await program.change("POST", "/api-tokens", name="bot", expires_in_days=1)
                await program.change("DELETE", f"/api-tokens/{created['data']['id']}")
            await self.stub.advance(ACCESS_SECONDS)
            statuses = self.refresh_together(programs)
            reads = [program.get("/unclaimed") for program in programs]
            await asyncio.gather(*reads, return_exceptions=True)
            for _ in range(8):
                await self.stub.advance(4)  # a longer step would extend the observer's deadlines
        await programs[0].sign_out()
        self.assertEqual(await self.broken_since(before), [])
        # Some exchanges give the losers of a race the cookies of the winner.
        if 409 in statuses:
            self.assertGreater(await self.handled("client.refresh.retries-after-409"), handled)

    def refresh_together(self, programs):
        """
        Holds the next refresh of each program until all of them send one. Each request takes 20 ms. Returns the statuses of
        refreshes, once they are there.
        """
        barrier, statuses = asyncio.Barrier(len(programs)), []

        async def note(response):
            if response.request.url.path == "/auth/refresh":
                statuses.append(response.status_code)

        def hold_first():
            is_first = True

            async def hold(request):
                nonlocal is_first
                await self.stub.advance(0.02)
                if is_first and request.url.path == "/auth/refresh":
                    is_first = False
                    await barrier.wait()

            return hold

        for program in programs:
            program._http.event_hooks = {"request": [hold_first()], "response": [note]}
        return statuses

    async def apply_fault(self, **fault):
        await self.stub.control("/faults", description="of a test", faults=[fault])
        self.addAsyncCleanup(self.stub.control, "/faults/clear")

    async def handled(self, rule):
        """How often the observer has seen that a situation of the rule was handled right."""
        return (await self.stub.read("/findings"))["duties"][rule]["handled"]

    async def last_finding(self):
        return (await self.stub.read("/findings"))["last"]

    async def broken_since(self, before):
        findings = (await self.stub.read(f"/findings?after={before}&limit=1000"))["findings"]
        return sorted({finding["rule"] for finding in findings})

    async def broken_in_a_while(self, feed_class):
        """Returns the rules that the observer reports as broken."""
        before = await self.last_finding()
        pool = await self.busiest_pool()
        watch, quotes = PoolWatch(self.exchange, pool["key"]), Quotes(self.exchange)
        await watch.refetch()
        await quotes.ask(pool["token0"], pool["token1"], 1000)
        inbox = await self.open_feed([*watch.rooms, "protocol_config"], feed_class)

        async def follow():
            for item in await inbox.take():
                if item is REFETCH:
                    await watch.refetch()
                elif item["type"] == "ProtocolConfigChanged":
                    await quotes.config_changed(item)

        async def live(seconds):
            for _ in range(seconds // 10):
                await self.let_time_pass(10)
                await follow()

        for _ in range(2):
            await live(50)
            await self.stub.control("/reorg", depth=1)
            await self.stub.control("/revision", scope="fee_tiers", key="3000")
            await follow()
            closing = self.clock.next_sleep()
            await self.stub.control("/gateway/restart")
            await closing
            await self.clock.advance(0.5)  # longest possible first backoff
            self.assertIs(await inbox.next(), REFETCH)
            await watch.refetch()
            await live(40)
        return await self.broken_since(before)


if __name__ == "__main__":
    unittest.main()
