from at import at_event
from exchange import pool_path

TRADES_KEPT = 100
CANDLES_KEPT = 100

STATS = ("price", "sqrt_price_x96", "tick", "liquidity", "balance0", "balance1")
TRADE = ("kind", "amount0", "amount1", "price", "tick", "transaction", "block")
CANDLE = ("open", "high", "low", "close", "volume0", "volume1")


class PoolWatch:
    """The state of one pool: loaded over REST, then updated by feed events."""

    def __init__(self, exchange, key):
        self._exchange = exchange
        self._names = exchange.choices["events"]
        self._key = key
        self.rooms = [f"{room}:{key}" for room in ("trades", "pool_stats", "ohlcv")]
        self.block = 0
        self.stats = {}
        # By id, oldest first.
        self.trades = {}
        # One-minute candles by start time.
        self.candles = {}

    async def refetch(self):
        """Replaces the whole state, because events before and after a gap do not add up."""
        stats = (await self._exchange.get(pool_path(self._key, "/stats")))["data"]
        trades = await self._newest("/trades", TRADES_KEPT)
        candles = await self._newest("/ohlcv", CANDLES_KEPT, interval="1m")
        self.block = stats["observed_block"]
        self.stats = fields(stats, STATS)
        self.trades = {trade["id"]: fields(trade, TRADE) for trade in reversed(trades)}
        self.candles = {candle["start"]: fields(candle, CANDLE) for candle in reversed(candles)}

    async def _newest(self, part, count, **query):
        rows = []
        async for row in self._exchange.rows(pool_path(self._key, part), **query):
            rows.append(row)
            if len(rows) == count:
                break
        return rows

    def apply(self, event):
        """Applies an event of this pool, unless REST already included it."""
        data = event["data"]
        if at_event(event, self._names["pool"]) != self._key or data["block"] <= self.block:
            return
        if event["type"] == "PoolStats":
            self.stats = fields(data, STATS)
        elif event["type"] == "Trade":
            self.trades[at_event(event, self._names["id"])] = fields(data, TRADE)
            drop_oldest(self.trades, TRADES_KEPT)
        elif event["type"] == "Ohlcv":
            self.candles[data["start"]] = fields(data, CANDLE)
            drop_oldest(self.candles, CANDLES_KEPT)


def fields(record, names):
    return {name: record[name] for name in names}


def drop_oldest(records, count):
    while len(records) > count:
        del records[next(iter(records))]
