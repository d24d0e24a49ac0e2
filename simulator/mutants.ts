/**
 * Mutants: each makes the stub break one rule. They prove that the probe of that rule can fail. `rules` names every rule
 * that the breakage shows in: a run against the mutant reports at least one of them, and nothing outside of them.
 */
const MUTANT_TABLE = {
  'ws-33-rooms': { breaks: 'a socket may hold 33 rooms', rules: ['ws.rooms.at-most-32'] },
  'ws-300-frames': { breaks: 'a socket may send 300 frames a minute', rules: ['ws.frames.at-most-240'] },
  'ws-4kb-frames': { breaks: 'frames of up to 4 KB are taken', rules: ['ws.frame.over-2048-refused'] },
  'ws-foreign-balances': { breaks: 'any balance room may be joined', rules: ['ws.rooms.foreign-balance'] },
  'ws-no-deadline': { breaks: 'a socket may authenticate whenever it likes', rules: ['ws.auth.deadline-5s'] },
  'ws-tickets-forever': {
    breaks: 'tickets never expire',
    rules: ['ws.ticket.expires-60s', 'ws.ticket.ends-connection'],
  },
  'ws-tickets-30-s': {
    breaks: 'tickets last 30 seconds',
    rules: ['ws.ticket.lives-60s', 'ws.ticket.renewal', 'ws.frames.240-accepted'],
  },
  'ws-31-rooms': { breaks: 'a socket may hold 31 rooms', rules: ['ws.rooms.32-deliver'] },
  'ws-200-frames': { breaks: 'a socket may send 200 frames a minute', rules: ['ws.frames.240-accepted'] },
  'ws-1kb-frames': { breaks: 'frames of more than 1 KB are refused', rules: ['ws.frame.2000-accepted'] },
  'ws-serves-strangers': {
    breaks: 'a socket is served without authentication',
    rules: ['ws.auth.required', 'ws.auth.deadline-5s'],
  },
  'ws-unsubscribe-ignored': { breaks: 'a room is never left', rules: ['ws.rooms.unsubscribe'] },
  'ws-takes-api-tokens': {
    breaks: 'the authenticate frame takes an API token',
    rules: ['ws.auth.rejects-api-token'],
  },
  'paging-101-served': { breaks: '/explore/pools serves limit=101', rules: ['paging.limit.rejects-101'] },
  'paging-order-ignored': {
    breaks: '/explore/pools is always in falling order',
    rules: ['paging.explore.order', 'paging.explore.complete'],
  },
  'paging-search-ignored': { breaks: '/explore/pools does not search', rules: ['paging.explore.search'] },
  'paging-swaps-101-served': { breaks: '/swaps serves 101 rows', rules: ['paging.swaps.at-most-100'] },
  'paging-pools-row-lost': {
    breaks: 'each page of /pools but the first leaves out its first row',
    rules: ['paging.pools.complete'],
  },
  'wire-fee-number': { breaks: 'the fee of a pool is a JSON number', rules: ['wire.pools.record'] },
  'route-4-hops': { breaks: 'routes of four hops are served', rules: ['route.hops.at-most-3'] },
  'route-none-400': { breaks: 'a pair without a route answers 400', rules: ['route.none.404'] },
  'protocol-pending-without-code': {
    breaks: 'the 503 of a pending revision has no code',
    rules: ['protocol.pending.503'],
  },
  'auth-refresh-not-rotated': { breaks: 'refresh keeps the refresh token', rules: ['auth.refresh.rotates'] },
  'auth-refresh-two-winners': {
    breaks: 'concurrent refreshes each get a session of their own',
    rules: ['auth.refresh.race-one-winner'],
  },
  'auth-refresh-loser-clears': {
    breaks: 'the 409 of a lost refresh race clears the cookies',
    rules: ['auth.refresh.race-survives'],
  },
  'auth-session-30-min': {
    breaks: 'the access session lasts 30 minutes',
    rules: ['auth.session.expires-15-min'],
  },
  'auth-session-10-min': {
    breaks: 'the access session lasts 10 minutes',
    rules: ['auth.session.lives-15-min'],
  },
  'auth-logout-all-ends-one': {
    breaks: 'logout-all ends the current session only',
    rules: ['auth.logout-all.every-session'],
  },
  'auth-csrf-ignored': { breaks: 'the CSRF header is not checked', rules: ['auth.csrf.required'] },
  'auth-cookies-readable': { breaks: 'cookies lack HttpOnly', rules: ['auth.cookies.http-only'] },
  'auth-logout-ends-all': {
    breaks: 'logout ends every session of the wallet',
    rules: ['auth.logout.current-only'],
  },
  'api-token-secret-listed': { breaks: 'the token list holds the secrets', rules: ['api-token.secret.once'] },
  'api-token-survives-revoke': { breaks: 'a revoked API token goes on', rules: ['api-token.revoke.ends'] },
  'rate-limit-never': { breaks: 'nobody gets 429', rules: ['rate-limit.burst.429'] },
} as const satisfies Record<string, { breaks: string; rules: readonly string[] }>

export type MutantName = keyof typeof MUTANT_TABLE

export type Mutant = { name: MutantName; breaks: string; rules: readonly string[] }

export const MUTANTS: readonly Mutant[] = Object.entries(MUTANT_TABLE).map(([name, mutant]) => ({
  name: name as MutantName, // the keys of the table are the names
  ...mutant,
}))

export function mutantByName(name: string): Mutant | undefined {
  return MUTANTS.find((mutant) => mutant.name === name)
}
