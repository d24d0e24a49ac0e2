"""
A starter bot: watches the largest pool, keeps a current quote through it, and the balances of its wallet.

    BREAKWATER_API_TOKENS=ss_... python bot.py stub.json
    python bot.py stub.json --sign-in
"""

import argparse
import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from at import at_event
from balances import Balances
from exchange import Exchange, ExchangeError
from feed import REFETCH, Feed
from pool_watch import PoolWatch
from quotes import Quotes
from session import SessionExchange
from session_store import SessionStore


async def follow(profile, exchange):
    sorts = exchange.choices["explorePools"]["sort"]
    by_value = next(name for name, sort in sorts.items() if sort["field"] == "tvlUsd")
    [pool] = (await exchange.get("/explore/pools", sort=by_value, order="desc", limit=1))["data"]
    watch, quotes = PoolWatch(exchange, pool["key"]), Quotes(exchange)
    # An API token does not show whose it is.
    balances = Balances(exchange, exchange.address) if isinstance(exchange, SessionExchange) else None
    rooms = [*watch.rooms, "pool_launches", "protocol_config", *([balances.room] if balances else [])]
    async for item in Feed(exchange, profile["wsUrl"], rooms):
        if item is REFETCH:
            await watch.refetch()
            pools = [row["key"] async for row in exchange.rows("/pools")]
            await quotes.ask(pool["token0"], pool["token1"], 10 ** pool["token0Decimals"])
            if balances:
                await balances.refetch()
            tokens = f"{pool['token0Symbol']!a} / {pool['token1Symbol']!a}"
            print(f"watching {tokens}, one of {len(pools)} pools: {watch.stats['price']}")
        elif item["type"] == "ProtocolConfigChanged":
            await quotes.config_changed(item)
        elif item["type"] == "PoolLaunch":
            pools = [row["key"] async for row in exchange.rows("/pools")]
            print(f"a new pool: there are {len(pools)}")
        elif item["type"] == "BalanceChange":
            await balances.refetch()
            print(f"balances of {len(balances.amounts)} tokens")
        else:
            watch.apply(item)
        if item is REFETCH or item["type"] == "ProtocolConfigChanged":
            for quote in quotes:
                print(f"quote at revision {quote.revision}: {quote.amount_in} -> {quote.amount_out}")
        elif item["type"] == "Trade":
            trade, id = item["data"], at_event(item, exchange.choices["events"]["id"])
            print(f"{trade['kind']} {id}: {trade['amount0']} {trade['amount1']} at {trade['price']}")
        sys.stdout.flush()


async def run(profile, exchange, keeps_session):
    async with exchange:
        try:
            await follow(profile, exchange)
        except asyncio.CancelledError:
            if isinstance(exchange, SessionExchange) and not keeps_session:
                await exchange.sign_out()
            raise


def token_exchange(profile):
    variable = profile["credentials"]["apiTokens"]["env"]
    tokens = os.environ.get(variable, "").split(",")
    if not tokens[0]:
        sys.exit(f"bot.py: {variable} holds no API token\n  `breakwater stub` prints some.")
    return Exchange(profile, tokens[0])


def session_exchange(profile, folder, store):
    wallets = json.loads((folder / profile["credentials"]["wallets"]).read_text())
    wallet = next(wallet for wallet in wallets if wallet["hasAccess"] and not wallet["admin"])
    return SessionExchange(profile, wallet, store)


def main():
    parser = argparse.ArgumentParser(prog="bot.py")
    parser.add_argument("profile", type=Path, help="the target profile")
    parser.add_argument("--sign-in", action="store_true", help="use a session of the profile's first wallet with access")
    parser.add_argument("--session", type=Path, help="keep the session in this file, for all bots that name it")
    given = parser.parse_args()
    profile = json.loads(given.profile.read_text())
    if given.sign_in or given.session:
        exchange = session_exchange(profile, given.profile.parent, SessionStore(given.session))
    else:
        exchange = token_exchange(profile)
    # As Ctrl-C, which cancels the run: a session must be signed out.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        asyncio.run(run(profile, exchange, keeps_session=given.session is not None))
    except ExchangeError as error:
        sys.exit(f"bot.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
