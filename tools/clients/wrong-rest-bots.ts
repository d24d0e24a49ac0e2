import { API_TOKEN, exchange, feed, STARTS_WATCH, type WrongBot, waits, watch } from './bot-patches.ts'

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

/** Bots that send wrong requests, or repeat them wrongly. */
export const WRONG_REST_BOTS: Readonly<Record<string, WrongBot>> = {
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
}
