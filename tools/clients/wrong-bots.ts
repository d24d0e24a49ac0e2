import { API_TOKEN, exchange, feed, STARTS_WATCH, type WrongBot, waits, watch } from './bot-patches.ts'
import { WRONG_FEED_BOTS } from './wrong-feed-bots.ts'
import { WRONG_SOCKET_BOTS } from './wrong-socket-bots.ts'

const ROUTE = { routes: ['GET /route'] }
const RETRIES_5XX =
  'return backoff_seconds(attempt) if response.status_code == 429 or response.is_server_error else None'
const LISTS_POOLS = '[_ async for _ in self._exchange.rows("/pools")]'
const limited = (limit: object): readonly object[] => [
  { fault: 'http-429', where: ROUTE, limit: { mode: 'fixed', ...limit }, when: { forMs: 8000 } },
]
const failing = (more: object = {}): readonly object[] => [
  { fault: 'http-error', where: ROUTE, when: { forMs: 60_000 }, ...more },
]
const revoked: readonly object[] = [{ fault: 'permission-revoked', what: 'api-token' }]

const LOST_RACE = 'return getattr(error, "status", None) == 409 and await self._winner(before)'
const SENDS_CSRF = 'return {"X-CSRF-Token": token} if method != "GET" and token else {}'
const SIGNED = 'challenge["data"]["message"]'
const session = (from: string, to: string) => [{ file: 'session.py', from, to }]

/** At least two wrong Python bots for each rule. */
export const WRONG_BOTS: Readonly<Record<string, WrongBot>> = {
  'ignores-retry-after': {
    wrong: 'retries after 200 ms, whatever Retry-After says',
    breaks: ['client.429.waits'],
    patches: waits('return int(retry_after)', 'return 0.2'),
    faults: limited({ retryAfterSeconds: 5 }),
  },
  'repeats-after-429': {
    wrong: 'repeats a 429 without Retry-After at once',
    breaks: ['client.429.waits'],
    patches: [
      ...waits(RETRIES_5XX, 'return 0 if response.status_code == 429 else None'),
      ...exchange('ATTEMPTS_MAX = 8', 'ATTEMPTS_MAX = 50'),
    ],
    faults: limited({}),
  },
  'retries-in-step': {
    wrong: 'retries a 5xx every second',
    breaks: ['client.5xx.backs-off'],
    patches: waits(RETRIES_5XX, 'return 1'),
    faults: failing(),
  },
  'never-gives-up': {
    wrong: 'retries a 5xx five times per second, for long',
    breaks: ['client.5xx.bounded', 'client.5xx.backs-off'],
    patches: [...waits(RETRIES_5XX, 'return 0.2'), ...exchange('ATTEMPTS_MAX = 8', 'ATTEMPTS_MAX = 200')],
    faults: failing(),
  },
  'retries-with-jitter-only': {
    wrong: 'retries a 5xx after random waits that stay short, for long',
    breaks: ['client.5xx.bounded'],
    patches: [
      ...waits(RETRIES_5XX, 'return random.uniform(0.05, 0.5)'),
      ...exchange('ATTEMPTS_MAX = 8', 'ATTEMPTS_MAX = 200'),
    ],
    faults: failing(),
  },
  'repeats-after-401': {
    wrong: 'continues with a revoked token',
    breaks: ['client.401.replaces'],
    patches: waits(RETRIES_5XX, 'return backoff_seconds(attempt)'),
    faults: revoked,
  },
  'repeats-after-401-in-step': {
    wrong: 'repeats a request with a revoked token twice per second',
    breaks: ['client.401.replaces'],
    patches: waits(RETRIES_5XX, 'return 0.5'),
    faults: revoked,
  },
  'repeats-after-403': {
    wrong: 'retries a 403 as if it were a passing error',
    breaks: ['client.403.stops'],
    patches: waits(RETRIES_5XX, 'return backoff_seconds(attempt)'),
    faults: failing({ status: 403 }),
  },
  'repeats-after-403-in-step': {
    wrong: 'repeats a request that got 403 twice per second',
    breaks: ['client.403.stops'],
    patches: waits(RETRIES_5XX, 'return 0.5'),
    faults: failing({ status: 403 }),
  },
  'pages-past-the-end': {
    wrong: 'continues after an empty page of pools',
    breaks: ['client.pools.pages-to-end'],
    patches: [
      ...watch(STARTS_WATCH, `${LISTS_POOLS}\n        ${STARTS_WATCH}`),
      ...exchange('offset += len(page["data"])', 'offset += page_size\n            await self._sleep(0.05)'),
      ...exchange('if not page["data"] or offset >= page["pagination"]["total"]:', 'if offset > 500:'),
    ],
  },
  'distrusts-empty-pages': {
    wrong: 'reads four empty pages of pools before it believes that there are no more',
    breaks: ['client.pools.pages-to-end'],
    patches: [
      ...watch(STARTS_WATCH, `if not self.block:\n            ${LISTS_POOLS}\n        ${STARTS_WATCH}`),
      ...exchange('offset += len(page["data"])', 'offset += page_size\n            await self._sleep(0.05)'),
      ...exchange(
        'if not page["data"] or offset >= page["pagination"]["total"]:',
        'if offset >= page["pagination"]["total"] + (4 * page_size if path == "/pools" else 0):',
      ),
    ],
  },
  'lower-case-keys': {
    wrong: 'writes pool keys in lower case',
    breaks: ['client.pools.key-as-given'],
    patches: exchange("{quote(key, safe='')}", "{quote(key.swapcase(), safe='')}"),
  },
  'keys-with-space': {
    wrong: 'adds white space to pool keys',
    breaks: ['client.pools.key-as-given'],
    patches: exchange("{quote(key, safe='')}", "{quote(key + ' ', safe='')}"),
  },
  'amounts-with-separators': {
    wrong: 'sends amounts with thousands separators',
    breaks: ['client.input.canonical'],
    patches: exchange('amount_in=str(amount_in)', 'amount_in=f"{amount_in:,}"'),
  },
  'amounts-as-floats': {
    wrong: 'sends amounts with an exponent',
    breaks: ['client.input.canonical'],
    patches: exchange('amount_in=str(amount_in)', 'amount_in=f"{amount_in:e}"'),
  },
  'token-in-url': {
    wrong: 'puts the API token into URLs',
    breaks: ['client.secrets.not-in-urls'],
    patches: exchange('params=query)', 'params={**query, "key": self._http.headers["Authorization"][7:]})'),
  },
  'token-in-socket-url': {
    wrong: 'puts the API token into the URL of its socket',
    breaks: ['client.secrets.not-in-urls'],
    patches: feed('connect(self._url)', `connect(self._url + "?key=" + ${API_TOKEN})`),
  },
  'refresh-token-in-url': {
    wrong: 'puts the refresh token into the URL of a refresh',
    scene: 'session',
    breaks: ['client.secrets.not-in-urls'],
    patches: session('"POST", "/auth/refresh"', '"POST", f"/auth/refresh?token={before}"'),
  },
  'csrf-in-url': {
    wrong: 'sends the CSRF token in the URL too',
    scene: 'session',
    breaks: ['client.secrets.not-in-urls'],
    patches: session(
      'return await self._request(method, path, json=body or None)',
      'return await self._request(method, f"{path}?csrf={self._store.csrf_token}", json=body or None)',
    ),
  },
  'trims-the-message': {
    wrong: 'trims the message before it signs it',
    scene: 'session',
    breaks: ['client.message.exact'],
    patches: session(SIGNED, `${SIGNED}.strip()`),
  },
  'normalizes-the-message': {
    wrong: 'signs the message in another Unicode form',
    scene: 'session',
    breaks: ['client.message.exact'],
    patches: session(SIGNED, `__import__("unicodedata").normalize("NFC", ${SIGNED})`),
  },
  'rebuilds-the-message': {
    wrong: 'splits the message into lines and joins them again',
    scene: 'session',
    breaks: ['client.message.exact'],
    patches: session(SIGNED, `"\\n".join(${SIGNED}.splitlines())`),
  },
  'no-csrf': {
    wrong: 'sends changes without the CSRF token',
    scene: 'session',
    breaks: ['client.csrf.sent'],
    patches: session(SENDS_CSRF, 'return {}'),
  },
  'csrf-only-with-post': {
    wrong: 'sends the CSRF token with POST only, not with DELETE',
    scene: 'session',
    breaks: ['client.csrf.sent'],
    patches: session(SENDS_CSRF, SENDS_CSRF.replace('method != "GET"', 'method == "POST"')),
  },
  'loser-gives-up': {
    wrong: 'fails if another program refreshes at the same time',
    scene: 'session',
    breaks: ['client.refresh.retries-after-409'],
    patches: session(LOST_RACE, 'raise'),
  },
  'loser-drops-its-request': {
    wrong: 'waits for the program that refreshes, but does not repeat its request',
    scene: 'session',
    breaks: ['client.refresh.retries-after-409'],
    patches: session(LOST_RACE, 'await self._winner(before)\n            raise'),
  },
  'loser-refreshes-again': {
    wrong: 'repeats its refresh while another program refreshes',
    scene: 'session',
    breaks: ['client.refresh.retries-after-409'],
    patches: session(
      LOST_RACE,
      'await self._sleep(0.2)\n            return getattr(error, "status", None) == 409 and await self._refresh()',
    ),
    faults: [{ fault: 'refresh-window', latency: { distribution: 'fixed', ms: 1000 } }],
  },
  ...WRONG_SOCKET_BOTS,
  ...WRONG_FEED_BOTS,
}
