"""Tests sessions against the stub: sign-in, refresh, the CSRF token, and programs that share a session."""

import asyncio
import tempfile
from pathlib import Path

from at import at
from bot_case import ACCESS_SECONDS, BotCase
from exchange import ExchangeError
from session import SessionExchange
from session_store import SessionStore


class SessionTest(BotCase):
    async def test_signs_in_with_cookies_alone(self):
        exchange = await self.open_session()
        self.assertNotIn("Authorization", exchange._http.headers)
        self.assertEqual((await exchange.get("/access/status"))["data"], {"has_access": True})
        self.assertEqual(await self.session_count(exchange), 1)

    async def test_stops_if_its_wallet_has_no_access(self):
        wallet = next(wallet for wallet in self.stub.wallets if not wallet["hasAccess"])
        exchange = SessionExchange(self.stub.profile, wallet, sleep=self.jump)
        self.addAsyncCleanup(exchange._http.aclose)
        with self.assertRaises(ExchangeError) as refused:
            # Some exchanges reject the sign-in, others the requests of the session.
            await exchange.sign_in()
            await exchange.get("/swaps")
        self.assertEqual(refused.exception.status, 403)
        self.assertEqual(self.waits, [])

    async def test_creates_and_revokes_an_api_token_with_its_csrf_token(self):
        exchange = await self.open_session()
        created = (await exchange.change("POST", "/api-tokens", name="bot", expires_in_days=1))["data"]
        self.assertTrue(created["token"].startswith("ss_"))
        revoked = (await exchange.change("DELETE", f"/api-tokens/{created['id']}"))["data"]
        self.assertEqual(revoked, {"id": created["id"], "revoked": True})

    async def test_refreshes_once_for_all_requests_that_found_the_session_expired(self):
        exchange = await self.open_session()
        for _ in range(3):
            await self.stub.advance(ACCESS_SECONDS)
            before = exchange._version
            bodies = await asyncio.gather(*(exchange.get("/swaps") for _ in range(5)))
            self.assertEqual(bodies, bodies[:1] * 5)
            self.assertNotEqual(exchange._version, before)
        self.assertEqual(await self.session_count(exchange), 1)

    async def test_signs_in_again_after_its_session_has_ended(self):
        exchange = await self.open_session()
        other = await self.open_session()
        await other.change("POST", "/auth/logout-all")
        await exchange.get("/swaps")
        self.assertEqual(await self.session_count(exchange), 1)

    async def test_programs_that_share_a_session_continue_in_it_after_they_have_refreshed_at_once(self):
        store = SessionStore()
        programs = [await self.open_session(store) for _ in range(3)]
        for _ in range(3):
            await self.stub.advance(ACCESS_SECONDS)
            await asyncio.gather(*(program.get("/swaps") for program in programs))
            for program in programs:
                created = await program.change("POST", "/api-tokens", name="bot", expires_in_days=1)
                await program.change("DELETE", f"/api-tokens/{created['data']['id']}")
        self.assertEqual(await self.session_count(programs[0]), 1)

    async def test_keeps_a_session_in_a_file_that_only_its_owner_can_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "session.json")
            first = await self.open_session(SessionStore(path))
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            second = await self.open_session(SessionStore(path))
            await self.stub.advance(ACCESS_SECONDS)
            await first.get("/swaps")
            await second.get("/swaps")
            self.assertEqual(first._version, second._version)
            await second.sign_out()
            with self.assertRaises(ExchangeError) as refused:
                await first._send("GET", "/swaps")
            self.assertEqual(refused.exception.status, 401)
            self.assertEqual([entry.name for entry in Path(folder).iterdir()], ["session.json"])

    async def session_count(self, exchange):
        return len(at(await exchange.get("/auth/sessions"), self.choices["sessions"]["list"]))
