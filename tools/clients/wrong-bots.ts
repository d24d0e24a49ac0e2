/** The Python bot with passages replaced, so that it breaks client rules. It has no session, and so not the rules about one. */
export type WrongBot = {
  wrong: string
  /** All rules that the observer reports. */
  breaks: readonly [rule: string, ...more: string[]]
  /** In the folder of the bot; `from` is exactly once in the file. */
  patches: readonly { file: string; from: string; to: string }[]
  /** Faults that are active from the start. */
  faults?: readonly object[]
}

const ROUTE = { routes: ['GET /route'] }
const RETRIES_5XX =
  'return backoff_seconds(attempt) if response.status_code == 429 or response.is_server_error else None'
const JOINS = 'for room in self._rooms:\n            await self._send(action="subscribe", room=room)'
const AUTHENTICATES = 'await self._send(action="authenticate", token=ticket)'
const RENEWS = 'await self._send(action="authenticate", token=await self._exchange.ticket())'
const STARTS_WATCH = 'stats = (await self._exchange.get(pool_path(self._key, "/stats")))["data"]'
const API_TOKEN = 'self._exchange._http.headers["Authorization"][7:]'

const feed = (from: string, to: string) => [{ file: 'feed.py', from, to }]
const exchange = (from: string, to: string) => [{ file: 'exchange.py', from, to }]
const waits = (from: string, to: string) => [{ file: 'wait_seconds.py', from, to }]
const limited = (limit: object): readonly object[] => [
  { fault: 'http-429', where: ROUTE, limit: { mode: 'fixed', ...limit }, when: { forMs: 8000 } },
]
const failing = (more: object = {}): readonly object[] => [
  { fault: 'http-error', where: ROUTE, when: { forMs: 60_000 }, ...more },
]
const revoked: readonly object[] = [{ fault: 'permission-revoked', what: 'api-token' }]

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
      {
        file: 'pool_watch.py',
        from: STARTS_WATCH,
        to: `[_ async for _ in self._exchange.rows("/pools")]\n        ${STARTS_WATCH}`,
      },
      ...exchange('offset += len(page["data"])', 'offset += page_size\n            await self._sleep(0.05)'),
      ...exchange('if not page["data"] or offset >= page["pagination"]["total"]:', 'if offset > 500:'),
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
  'api-token-as-ticket': {
    wrong: 'authenticates its socket with the API token',
    breaks: ['client.ticket.only'],
    patches: feed(AUTHENTICATES, `await self._send(action="authenticate", token=${API_TOKEN})`),
  },
  'api-token-as-renewal': {
    wrong: 'renews a connection with the API token',
    breaks: ['client.ticket.only'],
    patches: feed(RENEWS, `await self._send(action="authenticate", token=${API_TOKEN})`),
  },
  'reconnects-with-old-ticket': {
    wrong: 'opens its next socket with the ticket of the previous one',
    breaks: ['client.ticket.fresh'],
    patches: feed(
      'ticket = await self._exchange.ticket()\n',
      'ticket = self.__dict__.get("old") or await self._exchange.ticket()\n        self.old = ticket\n',
    ),
  },
  'renews-with-old-ticket': {
    wrong: 'renews a connection with the ticket that it already has',
    breaks: ['client.ticket.fresh'],
    patches: [
      ...feed(AUTHENTICATES, `self.old = ticket\n            ${AUTHENTICATES}`),
      ...feed(
        RENEWS,
        'await self._exchange.ticket()\n                await self._send(action="authenticate", token=self.old)',
      ),
    ],
  },
  'never-renews': {
    wrong: 'never renews its connections',
    breaks: ['client.ticket.renewed'],
    patches: feed('RENEW_AFTER_SECONDS = 45', 'RENEW_AFTER_SECONDS = 3600'),
  },
  'renews-too-late': {
    wrong: 'renews its connections after two minutes',
    breaks: ['client.ticket.renewed'],
    patches: feed('RENEW_AFTER_SECONDS = 45', 'RENEW_AFTER_SECONDS = 120'),
  },
  'subscribes-first': {
    wrong: 'joins its rooms before it authenticates',
    breaks: ['client.socket.authenticates-first'],
    patches: feed(
      AUTHENTICATES,
      `await self._send(action="subscribe", room="pool_launches")\n            ${AUTHENTICATES}`,
    ),
  },
  'synchronizes-first': {
    wrong: 'synchronizes before it authenticates',
    breaks: ['client.socket.authenticates-first'],
    patches: feed(AUTHENTICATES, `await self._send(action="synchronize")\n            ${AUTHENTICATES}`),
  },
  'authenticates-late': {
    wrong: 'takes six seconds from opening a socket to authenticating it',
    breaks: ['client.socket.authenticates-in-time'],
    patches: feed(AUTHENTICATES, `await self._exchange._sleep(6)\n            ${AUTHENTICATES}`),
  },
  'never-resubscribes': {
    wrong: 'joins no rooms after a reconnect',
    breaks: ['client.reconnect.resubscribes'],
    patches: feed(
      'await self._ask_to_synchronize(REFETCH)',
      'await self._ask_to_synchronize(REFETCH)\n        self._rooms = []',
    ),
  },
  'forgets-a-room': {
    wrong: 'joins one room less after each reconnect',
    breaks: ['client.reconnect.resubscribes'],
    patches: feed(
      'await self._ask_to_synchronize(REFETCH)',
      'await self._ask_to_synchronize(REFETCH)\n        self._rooms = self._rooms[:-1]',
    ),
  },
  'reloads-too-early': {
    wrong: 'reloads its data before its rooms are active',
    breaks: ['client.reconnect.refetches'],
    patches: feed(
      `${JOINS}\n        await self._ask_to_synchronize(REFETCH)`,
      `await self._ask_to_synchronize(REFETCH)\n        ${JOINS}`,
    ),
  },
  'keeps-what-it-had': {
    wrong: 'reloads nothing after a reconnect',
    breaks: ['client.reconnect.refetches'],
    patches: [
      {
        file: 'pool_watch.py',
        from: STARTS_WATCH,
        to: `if self.block:\n            return\n        ${STARTS_WATCH}`,
      },
    ],
  },
  'leaves-at-unknown-control': {
    wrong: 'closes the socket on an unknown control',
    breaks: ['client.controls.unknown-ignored'],
    patches: feed(
      '# Ignores unknown controls.',
      'elif frame.get("control") != "authenticated":\n                        await socket.close(1003)',
    ),
    faults: [{ fault: 'ws-unknown-control', everyMs: 10_000 }],
  },
  'no-minimum-revision': {
    wrong: 'requests the configuration without the announced revision',
    breaks: ['client.config.refetches'],
    patches: exchange(', minimum_revision=str(minimum))', ')'),
  },
  'ignores-the-configuration': {
    wrong: 'ignores announced revisions',
    breaks: ['client.config.refetches'],
    patches: [
      {
        file: 'quotes.py',
        from: 'self._revision = max(self._revision, int(event["data"]["revision"]))',
        to: 'return',
      },
    ],
  },
  'joins-forty-rooms': {
    wrong: 'joins forty rooms on one connection',
    breaks: ['client.rooms.at-most-32'],
    patches: feed(
      JOINS,
      `self._rooms = [*self._rooms, *[f"{kind}:{pool['key']}" async for pool in self._exchange.rows("/pools") for kind in ("ohlcv", "trades")]][:40]\n        ${JOINS}`,
    ),
  },
  'watches-another': {
    wrong: 'joins the balance room of another wallet',
    breaks: ['client.rooms.own-balances'],
    patches: feed(
      JOINS,
      `await self._send(action="subscribe", room="balances:0x${'ab'.repeat(20)}")\n        ${JOINS}`,
    ),
  },
  'floods-frames': {
    wrong: 'leaves and joins its rooms a hundred times',
    breaks: ['client.frames.bounded'],
    patches: feed(
      JOINS,
      'for _ in range(150):\n            await self._send(action="subscribe", room="pool_launches")\n            await self._send(action="unsubscribe", room="pool_launches")\n        ' +
        JOINS,
    ),
  },
  'pings-with-frames': {
    wrong: 'sends frames with the action ping',
    breaks: ['client.frames.valid'],
    patches: feed(JOINS, `await self._send(action="ping")\n        ${JOINS}`),
  },
  'subscribes-to-a-list': {
    wrong: 'sends a list of rooms in one frame',
    breaks: ['client.frames.valid'],
    patches: feed(JOINS, `await self._send(action="subscribe", rooms=self._rooms)\n        ${JOINS}`),
  },
  'sends-large-frames': {
    wrong: 'sends frames of more than 2 KB',
    breaks: ['client.frames.size'],
    patches: feed(
      'await self._socket.send(json.dumps(frame))',
      'await self._socket.send(json.dumps({**frame, "note": "x" * 3000}))',
    ),
  },
}
