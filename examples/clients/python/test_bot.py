"""Tests the bot's parts against the stub with a manual clock, and compares their state with REST."""

import unittest
from decimal import Decimal

from at import at
from bot_case import BotCase
from exchange import Exchange, ExchangeError, pool_path
from feed import REFETCH, Feed
from pool_watch import PoolWatch
from quotes import Quotes


class BotTest(BotCase):
    async def test_pages_through_pools(self):
        small = [pool async for pool in self.exchange.rows("/pools", page_size=3)]
        self.assertEqual(small, [pool async for pool in self.exchange.rows("/pools")])
        self.assertEqual(len(small), (await self.exchange.get("/pools", limit=1))["pagination"]["total"])
        for pool in small:
            self.assertEqual((await self.exchange.get(pool_path(pool["key"])))["data"], pool)

    async def test_pages_through_explore_pools_whatever_the_order(self):
        pools = {pool["key"]: pool async for pool in self.exchange.rows("/pools")}
        for name, sort in self.choices["explorePools"]["sort"].items():
            rows = [row async for row in self.exchange.rows("/explore/pools", page_size=4, sort=name, order="asc")]
            self.assertEqual({row["key"] for row in rows}, pools.keys())
            if sort["compare"] == "number":
                figures = [Decimal(row[sort["field"]]) for row in rows if row.get(sort["field"]) is not None]
                self.assertEqual(figures, sorted(figures))

    async def test_pages_through_swaps_and_those_of_a_pool(self):
        swaps = [swap async for swap in self.exchange.rows("/swaps", page_size=7)]
        self.assertEqual(swaps, [swap async for swap in self.exchange.rows("/swaps")])
        key = swaps[0]["hops"][-1]["pool"]
        through = [swap for swap in swaps if any(hop["pool"] == key for hop in swap["hops"])]
        name = self.choices["swapsPoolFilter"]
        self.assertEqual(through, [swap async for swap in self.exchange.rows("/swaps", page_size=7, **{name: key})])

    async def test_reads_exact_figures_that_a_float_would_round(self):
        fees = {pool["key"]: pool["fee"] async for pool in self.exchange.rows("/pools")}
        units, rounded = set(), 0
        async for row in self.exchange.rows("/explore/pools"):
            units.add(Decimal(row["feePercent"]) / Decimal(fees[row["key"]]))
            stats = (await self.exchange.get(pool_path(row["key"], "/stats")))["data"]
            for figure in [row.get("price"), row.get("tvlUsd"), stats["sqrt_price_x96"], stats["balance1"]]:
                if figure is not None:
                    self.assertEqual(format(Decimal(figure), "f"), figure)
                    rounded += Decimal(float(figure)) != Decimal(figure)
        self.assertGreater(rounded, 0)
        # The fee unit is unspecified, but must be the same for all pools.
        self.assertEqual(len(units), 1)

    async def test_asks_for_routes_and_knows_where_there_is_none(self):
        pool = await self.busiest_pool()
        token_in, token_out, amount = pool["token0"], pool["token1"], 10 ** pool["token0Decimals"]
        quote = await self.exchange.quote(token_in, token_out, amount)
        names = self.choices["route"]
        body = await self.exchange.get("/route", token_in=token_in, token_out=token_out, amount_in=str(amount))
        self.assertEqual(str(quote.amount_out), at(body, names["amountOut"]))
        hops = at(body, names["hops"])
        self.assertIn(len(hops), (1, 2, 3))
        self.assertEqual(at(hops[0], names["hop"]["tokenIn"]), token_in)
        self.assertEqual(at(hops[-1], names["hop"]["tokenOut"]), token_out)
        self.assertEqual(quote.revision, await self.exchange.revision())
        self.assertIsNone(await self.exchange.quote(token_in, token_in, amount))

    async def test_requotes_what_is_older_than_a_revision_it_was_told_of(self):
        inbox = await self.open_feed(["protocol_config"])
        pool = await self.busiest_pool()
        quotes = Quotes(self.exchange)
        old = await quotes.ask(pool["token0"], pool["token1"], 1000)
        told = await self.stub.control("/revision", scope="fee_tiers", key="3000")
        [event] = await inbox.take()
        self.assertEqual(event["type"], "ProtocolConfigChanged")
        await quotes.config_changed(event)
        [quote] = quotes
        self.assertLess(old.revision, quote.revision)
        self.assertEqual(quote.revision, told["revision"])
        self.assertEqual(quote.revision, await self.exchange.revision())

    async def test_waits_for_a_revision_that_rest_does_not_have_yet(self):
        before = await self.exchange.revision()
        await self.stub.control("/indexer/hold")
        told = await self.stub.control("/revision", scope="fee_tiers", key="3000")
        self.assertEqual(await self.exchange.revision(), before)

        async def wait(seconds):
            await self.jump(seconds)
            if len(self.waits) == 3:
                await self.stub.control("/indexer/release")

        patient = await self.enterAsyncContext(Exchange(self.stub.profile, self.stub.token, sleep=wait))
        self.assertEqual(await patient.revision(minimum=told["revision"]), told["revision"])
        self.assertEqual(len(self.waits), 3)

    async def test_waits_as_long_as_a_429_tells_it_to(self):
        told = []

        async def hear(response):
            if response.status_code == 429:
                told.append(response.headers["Retry-After"])

        self.exchange._http.event_hooks = {"response": [hear]}
        keys = [pool["key"] async for pool in self.exchange.rows("/pools", page_size=2)]
        self.assertGreater(len(told), 2)
        if told[0].isdigit():
            self.assertEqual(self.waits, [int(seconds) for seconds in told])
        # Each wait was long enough: no request was rejected twice.
        self.assertEqual(len(told), len(self.waits))
        await self.stub.advance(3600)
        self.assertEqual(keys, [pool["key"] async for pool in self.exchange.rows("/pools", page_size=100)])

    async def test_is_told_to_replace_a_token_that_is_not_valid(self):
        async with Exchange(self.stub.profile, "ss_made-up", sleep=self.jump) as stranger:
            for path in ("/swaps", "/auth/ws-ticket"):
                with self.assertRaises(ExchangeError) as refused:
                    await stranger.get(path)
                self.assertEqual(refused.exception.status, 401)
        self.assertEqual(self.waits, [])

    async def test_keeps_a_pool_by_its_events_as_rest_has_it(self):
        key = (await self.busiest_pool())["key"]
        watch, truth = PoolWatch(self.exchange, key), PoolWatch(self.exchange, key)
        inbox = await self.open_feed(watch.rooms)
        await watch.refetch()
        kinds = set()
        for _ in range(5):
            await self.let_time_pass(20)
            for event in await inbox.take():
                kinds.add(event["type"])
                watch.apply(event)
            await truth.refetch()
            self.assertEqual(watch.stats, truth.stats)
            self.assertEqual(list(watch.trades.items()), list(truth.trades.items()))
            self.assertEqual(watch.candles, truth.candles)
        self.assertEqual(kinds, {"PoolStats", "Trade", "Ohlcv"})

    async def test_hears_of_its_own_balances_as_rest_has_them(self):
        inbox = await self.open_feed([f"balances:{self.stub.address}"])
        path = self.choices["balancesPath"]
        balances = {row["token"]: int(row["balance"]) async for row in self.exchange.rows(path)}
        events = []
        for _ in range(20):
            await self.let_time_pass(5)
            events += await inbox.take()
        self.assertGreater(len(events), 3)
        for event in events:
            self.assertEqual(at(event, self.choices["events"]["address"]), self.stub.address)
            token, delta = event["data"]["token"], int(event["data"]["delta"])
            balances[token] = balances.get(token, 0) + delta
            self.assertEqual(str(balances[token]), event["data"]["balance"])
        self.assertEqual(balances, {row["token"]: int(row["balance"]) async for row in self.exchange.rows(path)})

    async def test_renews_its_ticket_on_one_socket_for_ten_minutes(self):
        inbox = await self.open_feed(["pool_launches"])
        [socket] = (await self.stub.read("/sockets"))["sockets"]
        self.assertEqual(socket["address"], self.stub.address)
        await self.clock.advance(600)
        self.assertEqual((await self.stub.read("/sockets"))["sockets"], [socket])
        self.assertNotIn(REFETCH, await inbox.take())
        # Only the stub's clock moves, so the ticket is not renewed.
        await self.stub.advance(60)
        self.assertEqual((await self.stub.read("/sockets"))["sockets"], [])

    async def test_comes_back_after_a_restart_and_has_missed_nothing(self):
        sent = []

        class RecordedFeed(Feed):
            async def _send(self, **frame):
                sent.append(frame)
                await super()._send(**frame)

        key = (await self.busiest_pool())["key"]
        watch, truth = PoolWatch(self.exchange, key), PoolWatch(self.exchange, key)
        inbox = await self.open_feed(watch.rooms, RecordedFeed)
        await watch.refetch()
        before = dict(watch.trades)
        first_frames = list(sent)
        sent.clear()

        backing_off = self.clock.next_sleep()
        self.assertEqual(await self.stub.control("/gateway/restart"), {"closed": 1})
        await backing_off
        await self.stub.control("/mine", blocks=40)
        await self.clock.advance(0.5)  # longest possible first backoff
        # Missed events are not sent again: delivery is at most once.
        self.assertIs(await inbox.next(), REFETCH)
        self.assertEqual([frame["action"] for frame in sent], [frame["action"] for frame in first_frames])
        self.assertEqual(sent[2:], first_frames[2:])
        self.assertNotEqual(sent[0]["token"], first_frames[0]["token"])
        self.assertEqual([frame.get("room") for frame in sent[2:5]], watch.rooms)

        await truth.refetch()
        self.assertNotEqual(watch.trades, truth.trades)
        await watch.refetch()
        await self.stub.control("/mine", blocks=40)
        for event in await inbox.take():
            watch.apply(event)
        await truth.refetch()
        self.assertEqual(watch.trades, truth.trades)
        self.assertEqual(watch.stats, truth.stats)
        self.assertNotEqual(watch.trades, before)


if __name__ == "__main__":
    unittest.main()
