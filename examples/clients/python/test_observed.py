"""Checks bots with the stub's observer: a correct bot breaks no rule, and a wrong one breaks a known rule."""

import unittest

from bot_case import BotCase
from feed import REFETCH, Feed
from never_resubscribes import NeverResubscribes
from pool_watch import PoolWatch
from quotes import Quotes


class ObservedTest(BotCase):
    async def test_draws_no_finding_through_restarts_and_a_reorganization(self):
        self.assertEqual(await self.broken_in_a_while(Feed), [])

    async def test_is_caught_where_it_never_resubscribes(self):
        self.assertEqual(await self.broken_in_a_while(NeverResubscribes), ["client.reconnect.resubscribes"])

    async def broken_in_a_while(self, feed_class):
        """Returns the rules that the observer reports as broken."""
        before = (await self.stub.read("/findings"))["last"]
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
        findings = (await self.stub.read(f"/findings?after={before}&limit=1000"))["findings"]
        return sorted({finding["rule"] for finding in findings})


if __name__ == "__main__":
    unittest.main()
