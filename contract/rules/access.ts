import { serverRules } from '../rule.ts'

/** Access without credentials. Anything more is specified only for endpoints with a specified body. */
export const ACCESS_RULES = serverRules([
  [
    'access.public.health',
    'Authentication',
    '/health, /ready and /metrics are public.',
    'none returns 401 or 403 without credentials, or a persistent 500 that a credential prevents; a valid credential causes no persistent 401, 403 or error',
    'Reads the three without credentials, each twice, and with each kind of credential. An endpoint that is not served is not judged.',
  ],
  [
    'access.public.pools',
    'Authentication',
    '/pools, /pools/stats and /pools/{key} are public.',
    'none returns 401 or 403 without credentials, or a persistent 500 that a credential prevents, and /pools/stats no 404; a valid credential causes no persistent 401, 403 or error, and the cookies of a session that has ended none at /pools',
    'Reads the three without credentials, each twice, and with each kind of credential, with the key of a pool from the list; /pools also with the cookies of a revoked session. A 404 of /pools/stats fails four times over at least 5 s while /pools is served.',
  ],
  [
    'access.public.pool-reads',
    'Authentication',
    'The reads of a pool (ohlcv, liquidity-distribution, trades, stats, oracle) are public.',
    'none returns 401 or 403 without credentials, or a persistent 500 that a credential prevents; a valid credential causes no persistent 401, 403 or error',
    'Reads the five of one pool without credentials or parameters, each twice, and with each kind of credential.',
  ],
  [
    'access.public.explore',
    'Authentication',
    'All of /explore is public.',
    'neither /explore/pools nor a path of /explore that the profile lists returns 401 or 403, or a persistent 500 that a credential prevents; a valid credential causes no persistent 401, 403 or error',
    'Reads /explore/pools and the listed paths without credentials, each twice, and with each kind of credential.',
  ],
  [
    'access.public.tokens',
    'Authentication',
    '/tokens is public.',
    'it does not return 401 or 403 without credentials, or a persistent 500 that a credential prevents; a valid credential causes no persistent 401, 403 or error, nor do the cookies of a session that has ended',
    'Reads /tokens without credentials, twice, with each kind of credential, and with the cookies of a revoked session.',
  ],
  [
    'access.public.compliance',
    'Authentication',
    'All of /compliance is public.',
    'no path of /compliance that the profile lists returns 401 or 403, or a persistent 500 that a credential prevents; a valid credential causes no persistent 401, 403 or error',
    'Reads the listed paths without credentials, each twice, and with each kind of credential.',
  ],
  [
    'access.public.aggregator',
    'Authentication',
    'The routes for the data aggregator are public.',
    'no other path that the profile lists returns 401 or 403, or a persistent 500 that a credential prevents; a valid credential causes no persistent 401, 403 or error',
    'Reads the listed paths without credentials, each twice, and with each kind of credential.',
  ],
])

const USE = 'creates an API token with a session, uses it as a bearer token, and revokes it'

export const API_TOKEN_RULES = serverRules([
  [
    'api-token.create.record',
    'Resources: API token',
    'Creating a token returns its record with the full secret, which starts with ss_.',
    'the record is valid and has the requested name, which may be shortened; the secret starts with ss_, and token_prefix is a prefix of it',
    `${USE}; also creates one without expires_in_days, whose record is judged if the token is accepted`,
  ],
  [
    'api-token.create.needs-csrf',
    'Authentication',
    'A session creates an API token with the CSRF header.',
    'without X-CSRF-Token, or with another value, the request is rejected with a 4xx',
    'tries to create one without the header, twice, each time after one was created with it, again with an Authorization header that is no API token, with a made-up value, and with the CSRF token of another wallet',
  ],
  [
    'api-token.secret.once',
    'API token endpoints',
    'The secret is returned only at creation.',
    'the list contains neither the secret nor more than half of its random part',
    'lists the tokens of the wallet, and searches the complete response for the secret, with and without ss_, and for each half of it',
  ],
  [
    'api-token.list.shows',
    'API token endpoints',
    'The tokens of a wallet are listed.',
    'the list has a row with the id of the new token, for each session of the wallet; a token_prefix in it is a prefix of the token',
    'lists the tokens of the wallet before and after one is created; a missing one is looked for four times over at least 5 s, while it works',
  ],
  [
    'api-token.list.own-only',
    'API token endpoints',
    'The list contains only the wallet’s own tokens.',
    'each of two wallets sees its own token in its list, and not that of the other, also after it signs in with the cookies of the other',
    'creates a token with each of two wallets, and lists their tokens; signs one in with the cookies and the CSRF token of the other, and lists its tokens with the cookies that result: one of the other fails four times over at least 5 s',
  ],
  [
    'api-token.bearer.works',
    'Authentication',
    'An API token reads data endpoints as a bearer token.',
    '/swaps returns 200',
    USE,
  ],
  [
    'api-token.bearer.ticket',
    'Authentication',
    'An API token may request a WebSocket ticket.',
    '/auth/ws-ticket returns 200 with a ticket',
    USE,
  ],
  [
    'api-token.covers.data',
    'Authentication',
    'API tokens cover data and trading endpoints.',
    'none of them returns 401 or 403 to a token of a wallet with access, nor an error that persists and that a session does not get; /unclaimed and /swaps have the same public rows as for a session of its wallet',
    'Reads them all, a route between two listed tokens among them. Rows of /unclaimed, and the first 50 of 100 of /swaps, fail if the token alone has or lacks them four times over 30 s, each time between two reads of the session that agree.',
  ],
  [
    'api-token.management.session-only',
    'Authentication',
    'Token management needs a browser session.',
    'with a bearer token it is rejected with a 4xx, and ends no token',
    'lists tokens, creates one, and revokes another and itself with a bearer token; in between, the session can list them; reads with both afterwards',
  ],
  [
    'api-token.revoke.record',
    'Resources: API token',
    'Revoking returns the id and revoked=true.',
    'the record is valid',
    USE,
  ],
  [
    'api-token.revoke.ends',
    'States and transitions',
    'A revoked token is invalid.',
    'it gets 401 at /swaps, and no other endpoint serves it; another token of the wallet works, until another session of the wallet revokes it; two tokens that are created at the same time both work, and so does one without an expiry or for 30 days, if it is accepted, until it is revoked',
    'Reads every endpoint that takes a token before and after it is revoked, and /swaps with another token of the wallet. Another session revokes that one: a rejection counts if it persists while that session lists tokens, and the session that created the token revokes it. Creates two tokens at the same time, twice, and reads with each. Reads with a token without an expiry and with one for 30 days, before and after it is revoked.',
  ],
  [
    'api-token.revoke.own-only',
    'States and transitions',
    'Only its owner can revoke a token.',
    'it still works after another wallet has tried to revoke it, and the response does not say that it is revoked',
    'Creates two tokens with one wallet. The session of another wallet deletes one, then the owner does. A rejection counts if it persists while the other token works; `revoked: true` for another wallet counts if it repeats while the token works.',
  ],
  [
    'api-token.life.expires',
    'API token endpoints',
    'A token expires after the requested number of days.',
    'a token for one day works after 20 hours and returns 401 two days later, and its expires_at is one to two days after its created_at; that of a token for N days is at most N + 1 days after',
    'creates a token for one day, moves the clock by 20 hours and then to two days, and reverts to a snapshot; compares the two times of every such token that any probe creates, if they have a zone',
    'control',
  ],
])

export const RATE_LIMIT_RULES = serverRules([
  [
    'rate-limit.burst.429',
    'Errors',
    'Too many requests get a 429.',
    'requests above the limit of the profile get 429',
    'Reads /access/status ten at a time until a 429 comes, or twice as much was served as the limit in the profile allows. Errors count if they begin at the limit, and do so again after it has refilled.',
  ],
  [
    'rate-limit.wait.recovers',
    'Errors',
    'A client that waits is served again.',
    'after the wait the same request returns 200',
    'Waits as long as the latest 429 says, and at least until the limit has refilled, then reads again up to three times. A 429 counts only if each response stated a wait. A 5xx counts only if it comes four times over at least 5 s while /tokens is served.',
    'a minute',
  ],
])
