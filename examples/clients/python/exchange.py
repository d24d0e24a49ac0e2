"""REST client for a bot: API token, exact numbers, and retries that respect Retry-After. session.py adds a wallet session."""

import asyncio
import json
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import quote

import httpx

from at import at
from wait_seconds import wait_seconds

ATTEMPTS_MAX = 8
TIMEOUT_SECONDS = 10
PAGE_SIZE_MAX = 100


class ExchangeError(Exception):
    """An unsuccessful response, with the body's `code` and `ref`. 401: use another token; 403: stop."""

    def __init__(self, response):
        body = error_body(response)
        super().__init__(f"{response.status_code} {body.get('error') or response.reason_phrase}")
        self.status = response.status_code
        self.code = body.get("code")
        self.ref = body.get("ref")


@dataclass(frozen=True)
class Quote:
    """A route at a revision: indicative only. Amounts in base units."""

    token_in: str
    token_out: str
    amount_in: int
    amount_out: int
    revision: int
    pools: tuple[str, ...]


class Exchange:
    """`profile` is a target profile; tests replace `sleep` with one on another clock."""

    def __init__(self, profile, token=None, sleep=asyncio.sleep, cookies=None):
        self.choices = profile["choices"]
        self._sleep = sleep
        # In a header, because tokens in URLs end up in logs.
        credential = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.AsyncClient(
            base_url=profile["baseUrl"],
            headers={**profile.get("headers", {}), **credential},
            cookies=cookies,
            timeout=TIMEOUT_SECONDS,
        )

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self._http.aclose()

    async def get(self, path, **query):
        """Returns a body, with a bounded number of retries. Raises ExchangeError or httpx.TransportError."""
        return await self._request("GET", path, params=query)

    async def _request(self, method, path, **options):
        return await self._send(method, path, **options)

    async def _send(self, method, path, repeatable=False, **options):
        """Repeats a change only after a 429, unless it is `repeatable`: after any other failure, it may have been made."""
        for attempt in range(ATTEMPTS_MAX):
            try:
                response = await self._http.request(method, path, **options)
                if response.is_success:
                    # Exact values are strings; other fractions must not be rounded either.
                    return json.loads(response.content, parse_float=Decimal)
                failure = ExchangeError(response)
            except httpx.TransportError as error:
                response, failure = None, error
            seconds = wait_seconds(response, attempt)
            if method != "GET" and not repeatable and (response is None or response.status_code != 429):
                seconds = None
            if seconds is None or attempt == ATTEMPTS_MAX - 1:
                raise failure
            await self._sleep(seconds)

    async def rows(self, path, page_size=PAGE_SIZE_MAX, **query):
        """Yields all rows of a list, page by page, until an empty page or `total` rows."""
        offset = 0
        while True:
            page = await self.get(path, limit=page_size, offset=offset, **query)
            for row in page["data"]:
                yield row
            offset += len(page["data"])
            if not page["data"] or offset >= page["pagination"]["total"]:
                return

    async def quote(self, token_in, token_out, amount_in):
        """Returns None if there is no route."""
        names = self.choices["route"]
        try:
            body = await self.get("/route", token_in=token_in, token_out=token_out, amount_in=str(amount_in))
        except ExchangeError as error:
            if error.status == 404:
                return None
            raise
        return Quote(
            token_in=token_in,
            token_out=token_out,
            amount_in=amount_in,
            amount_out=int(at(body, names["amountOut"])),
            revision=int(at(body, names["protocolRevision"])),
            pools=tuple(at(hop, names["hop"]["pool"]) for hop in at(body, names["hops"])),
        )

    async def revision(self, minimum=0):
        """Waits until the protocol revision is at least `minimum`, and returns it."""
        body = await self.get("/protocol/state", minimum_revision=str(minimum))
        return int(at(body, self.choices["protocolState"]["revision"]))

    async def ticket(self):
        """Valid for one authenticate frame, for 60 seconds."""
        return at(await self.get("/auth/ws-ticket"), self.choices["wsTicket"]["ticket"])


def pool_path(key, part=""):
    """Returns the path of a pool, or of a part such as `/stats`. Keys may contain any character."""
    return f"/pools/{quote(key, safe='')}{part}"


def error_body(response):
    """Returns {} for a body that is not JSON, such as a proxy's page."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
