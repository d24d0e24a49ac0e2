"""
A starter bot: watches the largest pool and keeps a current quote through it.

    BREAKWATER_API_TOKENS=ss_... python bot.py stub.json
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from at import at
from exchange import Exchange
from feed import REFETCH, Feed
from pool_watch import PoolWatch
from quotes import Quotes


async def run(profile, token):
    async with Exchange(profile, token) as exchange:
        sorts = exchange.choices["explorePools"]["sort"]
        by_value = next(name for name, sort in sorts.items() if sort["field"] == "tvlUsd")
        [pool] = (await exchange.get("/explore/pools", sort=by_value, order="desc", limit=1))["data"]
        watch, quotes = PoolWatch(exchange, pool["key"]), Quotes(exchange)
        async for item in Feed(exchange, profile["wsUrl"], [*watch.rooms, "protocol_config"]):
            if item is REFETCH:
                await watch.refetch()
                await quotes.ask(pool["token0"], pool["token1"], 10 ** pool["token0Decimals"])
                print(f"watching {pool['token0Symbol']!a} / {pool['token1Symbol']!a}: {watch.stats['price']}")
            elif item["type"] == "ProtocolConfigChanged":
                await quotes.config_changed(item)
            else:
                watch.apply(item)
            if item is REFETCH or item["type"] == "ProtocolConfigChanged":
                for quote in quotes:
                    print(f"quote at revision {quote.revision}: {quote.amount_in} -> {quote.amount_out}")
            elif item["type"] == "Trade":
                trade, id = item["data"], at(item, exchange.choices["events"]["id"])
                print(f"{trade['kind']} {id}: {trade['amount0']} {trade['amount1']} at {trade['price']}")
            sys.stdout.flush()


def main():
    profile = json.loads(Path(sys.argv[1]).read_text())
    variable = profile["credentials"]["apiTokens"]["env"]
    tokens = os.environ.get(variable, "").split(",")
    if not tokens[0]:
        sys.exit(f"bot.py: {variable} holds no API token\n  `breakwater stub` prints some.")
    try:
        asyncio.run(run(profile, tokens[0]))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
