"""REST client with a wallet session: sign-in, refresh, and the CSRF token."""

import asyncio

import httpx

from at import at
from exchange import Exchange, ExchangeError
from session_store import SessionStore
from wallet import sign

# Replacements of the session for one request.
REPLACED_MAX = 2
# How long another program may take for its refresh.
WINNER_SECONDS_MAX = 5
POLL_SECONDS = 0.05


class SessionExchange(Exchange):
    """
    Like Exchange, with the session of a wallet. A 401 refreshes it, or signs in again, and repeats the request. Programs that
    share a `store` share the session.
    """

    def __init__(self, profile, wallet, store=None, sleep=asyncio.sleep):
        self._store = store or SessionStore()
        super().__init__(profile, sleep=sleep, cookies=self._store.jar)
        self._wallet = wallet
        self._renewing = asyncio.Lock()

    @property
    def address(self):
        return self._wallet["address"]

    @property
    def _version(self):
        """Changes with each sign-in and each refresh, by any program. None without a session."""
        return self._store.cookie(self.choices["cookies"]["refresh"])

    async def __aenter__(self):
        self._store.read()
        if self._version is None:
            await self.sign_in()
        return self

    async def sign_in(self):
        address = self.address
        challenge = await self._send("POST", "/auth/challenge", json={"address": address}, repeatable=True)
        signature = sign(challenge["data"]["message"], self._wallet, **self.choices["signature"])
        self._keep(await self._send("POST", "/auth/verify", json={"address": address, "signature": signature}))

    async def sign_out(self):
        await self.change("POST", "/auth/logout")
        self._store.clear()

    async def change(self, method, path, **body):
        """Sends a request that changes something, with the CSRF token."""
        return await self._request(method, path, json=body or None)

    async def _request(self, method, path, **options):
        for attempt in range(REPLACED_MAX + 1):
            self._store.read()
            version = self._version
            try:
                return await self._send(method, path, headers=self._csrf(method), **options)
            except ExchangeError as error:
                if error.status != 401 or attempt == REPLACED_MAX:
                    raise
            await self._replace(version, is_second=attempt > 0)

    async def _replace(self, rejected, is_second):
        """One at a time: all requests that got a 401 share the result."""
        async with self._renewing:
            if self._version != rejected:
                return
            if is_second or not rejected or not await self._refresh():
                await self.sign_in()

    async def _refresh(self):
        """Returns False if the session is over."""
        before = self._version
        try:
            self._keep(await self._send("POST", "/auth/refresh", headers=self._csrf("POST")))
        except (ExchangeError, httpx.TransportError) as error:
            # 409: another program refreshes, and its cookies will be those of this one.
            return getattr(error, "status", None) == 409 and await self._winner(before)
        return True

    async def _winner(self, before):
        """Waits until another program has refreshed. Returns False if it did not."""
        for _ in range(int(WINNER_SECONDS_MAX / POLL_SECONDS)):
            self._store.read()
            if self._version != before:
                return True
            await self._sleep(POLL_SECONDS)
        return False

    def _keep(self, grant):
        self._store.write(at(grant, self.choices["verify"]["csrfToken"]))

    def _csrf(self, method):
        token = self._store.csrf_token
        return {"X-CSRF-Token": token} if method != "GET" and token else {}
