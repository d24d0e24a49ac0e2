import { BACKS_OFF, exchange, feed, JOINS, STARTS_WATCH, type WrongBot, waits, watch } from './bot-patches.ts'

const RESYNCS = 'elif frame.get("control") == "resync_required":\n                        yield REFETCH'
const quotes = (from: string, to: string) => [{ file: 'quotes.py', from, to }]
/** The test reads what has arrived without a frame of its own, and from a closed socket too. */
const NO_FRAMES_BY_TEST = [
  {
    file: 'inbox.py',
    from: 'await self._feed.synchronize()',
    to: 'try:\n            await (await self._feed._socket.ping())\n        except Exception:\n            pass\n        if self._reader.done():\n            self._reader.result()',
  },
]

/** Bots that reconnect wrongly, or react wrongly to what the feed sends. */
export const WRONG_FEED_BOTS: Readonly<Record<string, WrongBot>> = {
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
  'never-synchronizes': {
    wrong: 'reloads its data after it has joined its rooms, without synchronizing',
    breaks: ['client.reconnect.synchronizes'],
    patches: [
      ...NO_FRAMES_BY_TEST,
      ...feed('await self._ask_to_synchronize(JOIN)', 'await self._join()\n            yield REFETCH'),
      ...feed('await self._ask_to_synchronize(REFETCH)', 'pass'),
    ],
  },
  'joins-after-synchronizing': {
    wrong: 'joins its rooms once it has synchronized',
    breaks: ['client.reconnect.synchronizes'],
    patches: [
      ...NO_FRAMES_BY_TEST,
      ...feed('await self._join()', 'await self._join()\n                            yield REFETCH'),
      ...feed('await self._ask_to_synchronize(REFETCH)', 'pass'),
    ],
  },
  'reconnects-in-step': {
    wrong: 'reconnects after a second, without jitter',
    scene: 'restarts',
    breaks: ['client.reconnect.backs-off'],
    patches: feed(BACKS_OFF, 'await self._sleep(1)'),
  },
  'reconnects-at-once': {
    wrong: 'reconnects without a wait',
    scene: 'restarts',
    breaks: ['client.reconnect.backs-off'],
    patches: feed(BACKS_OFF, 'await self._sleep(0)'),
  },
  'reconnects-without-jitter': {
    wrong: 'reconnects after half a second, twice as long after each failure',
    scene: 'restarts',
    breaks: ['client.reconnect.backs-off'],
    patches: feed(BACKS_OFF, 'await self._sleep(0.5 * 2**attempt)'),
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
    patches: watch(STARTS_WATCH, `if self.block:\n            return\n        ${STARTS_WATCH}`),
  },
  'ignores-resync': {
    wrong: 'reloads nothing after resync_required',
    scene: 'lost events',
    breaks: ['client.resync.refetches'],
    patches: feed(RESYNCS, RESYNCS.replace('yield REFETCH', 'pass')),
  },
  'reloads-a-part': {
    wrong: 'reloads the statistics of a pool after resync_required, but not its trades and candles',
    scene: 'lost events',
    breaks: ['client.resync.refetches'],
    patches: watch(
      STARTS_WATCH,
      `${STARTS_WATCH}\n        if self.block:\n            self.block, self.stats = stats["observed_block"], fields(stats, STATS)\n            return`,
    ),
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
  'fails-at-unknown-control': {
    wrong: 'fails at an unknown control, and reconnects',
    breaks: ['client.controls.unknown-ignored'],
    patches: [
      ...NO_FRAMES_BY_TEST,
      ...feed(
        '# Ignores unknown controls.',
        [
          'elif frame.get("control") != "authenticated":',
          'self.failures = self.__dict__.get("failures", 0) + 1',
          'raise (ConnectionError if self.failures < 4 else RuntimeError)("unknown control")',
        ].join('\n                        '),
      ),
    ],
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
    patches: quotes('self._revision = max(self._revision, int(event["data"]["revision"]))', 'return'),
  },
  'loops-on-pending': {
    wrong: 'requests a pending revision five times per second',
    scene: 'pending revision',
    breaks: ['client.config.retries-pending'],
    patches: waits('return int(retry_after)', 'return 0.2'),
  },
  'halves-the-wait': {
    wrong: 'requests a pending revision after half of the wait',
    scene: 'pending revision',
    breaks: ['client.config.retries-pending'],
    patches: waits('return int(retry_after)', 'return int(retry_after) / 2'),
  },
  'gives-up-on-pending': {
    wrong: 'keeps its quotes if the revision is pending',
    scene: 'pending revision',
    breaks: ['client.config.retries-pending'],
    patches: [
      ...waits(
        'retry_after = response',
        'if response.status_code == 503:\n        return None\n    retry_after = response',
      ),
      ...quotes(
        'await self._exchange.revision(minimum=self._revision)\n        for',
        'try:\n            await self._exchange.revision(minimum=self._revision)\n        except Exception:\n            return\n        for',
      ),
    ],
  },
}
