// Passages of the Python bot that several wrong bots replace.
/** The Python bot with passages replaced, so that it breaks client rules. */
export type WrongBot = {
  wrong: string
  /** Default: `day`. */
  scene?: BotSceneName
  /** All rules that the observer reports. */
  breaks: readonly [rule: string, ...more: string[]]
  /** In the folder of the bot; `from` is exactly once in the file. */
  patches: readonly { file: string; from: string; to: string }[]
  /** Faults that are active from the start. */
  faults?: readonly object[]
}

/** Tests of the correct bot in `test_observed.py`. A wrong one may fail in them. */
export const BOT_SCENES = {
  /** Quotes, restarts, reorganizations and revisions. */
  day: 'test_draws_no_finding_through_restarts_and_a_reorganization',
  restarts: 'test_draws_no_finding_through_many_restarts',
  'lost events': 'test_draws_no_finding_where_events_are_lost',
  'pending revision': 'test_draws_no_finding_where_a_revision_is_pending',
  session: 'test_programs_with_a_session_draw_no_finding',
} as const

type BotSceneName = keyof typeof BOT_SCENES

export const JOINS = 'for room in self._rooms:\n            await self._send(action="subscribe", room=room)'
export const AUTHENTICATES = 'await self._send(action="authenticate", token=ticket)'
export const RENEWS = 'await self._send(action="authenticate", token=await self._exchange.ticket())'
export const BACKS_OFF = 'await self._sleep(backoff_seconds(attempt))'
export const STARTS_WATCH = 'stats = (await self._exchange.get(pool_path(self._key, "/stats")))["data"]'
export const API_TOKEN = 'self._exchange._http.headers["Authorization"][7:]'

export const feed = (from: string, to: string) => [{ file: 'feed.py', from, to }]
export const exchange = (from: string, to: string) => [{ file: 'exchange.py', from, to }]
export const waits = (from: string, to: string) => [{ file: 'wait_seconds.py', from, to }]
export const watch = (from: string, to: string) => [{ file: 'pool_watch.py', from, to }]
/** Ends the test when its socket is lost: the test waits, so no time passes, and the bot would never reconnect. */
export const ENDS_WITH_SOCKET = feed(BACKS_OFF, 'raise RuntimeError("the socket is lost")')
