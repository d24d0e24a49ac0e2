import { serverRules } from '../rule.ts'

/** Who is let in without credentials. Only where a body is stated is more than that stated. */
export const ACCESS_RULES = serverRules([
  [
    'access.public.health',
    'Authentication',
    '/health, /ready and /metrics are public.',
    'none returns 401, 403 or a persistent 500 without credentials',
    'Reads the three without credentials, each twice; what is not served there tells nothing.',
  ],
  [
    'access.public.pools',
    'Authentication',
    '/pools, /pools/stats and /pools/{key} are public.',
    'none returns 401, 403 or a persistent 500 without credentials',
    'Reads the three without credentials, each twice, with the key of a pool from the list.',
  ],
  [
    'access.public.pool-reads',
    'Authentication',
    'The reads of a pool (ohlcv, liquidity-distribution, trades, stats, oracle) are public.',
    'none returns 401, 403 or a persistent 500 without credentials',
    'Reads the five of one pool without credentials or parameters, each twice.',
  ],
  [
    'access.public.explore',
    'Authentication',
    'All of /explore is public.',
    'neither /explore/pools nor a path of /explore that the profile lists returns 401, 403 or a persistent 500',
    'Reads /explore/pools and the listed paths without credentials, each twice.',
  ],
  [
    'access.public.tokens',
    'Authentication',
    '/tokens is public.',
    'it does not return 401, 403 or a persistent 500 without credentials',
    'Reads /tokens without credentials, twice.',
  ],
  [
    'access.public.compliance',
    'Authentication',
    'All of /compliance is public.',
    'no path of /compliance that the profile lists returns 401, 403 or a persistent 500',
    'Reads the listed paths without credentials, each twice.',
  ],
  [
    'access.public.aggregator',
    'Authentication',
    'The routes for the data aggregator are public.',
    'no other path that the profile lists returns 401, 403 or a persistent 500',
    'Reads the listed paths without credentials, each twice.',
  ],
])

const USE = 'makes an API token with a session, uses it as a bearer token, and revokes it'

export const API_TOKEN_RULES = serverRules([
  [
    'api-token.create.record',
    'Resources: API token',
    'Creating a token returns its record with the full secret, which begins with ss_.',
    'the record fits, the secret begins with ss_',
    USE,
  ],
  [
    'api-token.create.needs-csrf',
    'Authentication',
    'An API token is made by a session with the CSRF header.',
    'without X-CSRF-Token it is refused with a 4xx',
    'makes one without the header, twice, each time after one was made with it',
  ],
  [
    'api-token.secret.once',
    'API token endpoints',
    'The secret is returned at creation only.',
    'the list does not hold it',
    'lists the tokens of the wallet, and looks for the secret in the whole answer',
  ],
  [
    'api-token.list.shows',
    'API token endpoints',
    'The tokens of a wallet are listed.',
    'the list has a row with the id of the new token',
    'lists the tokens of the wallet before and after one is made; one that is missing is looked for four times over at least 5 s, while it works',
  ],
  [
    'api-token.list.own-only',
    'API token endpoints',
    'The list is that of the wallet’s own tokens.',
    'of two wallets each is listed its own token, and not that of the other',
    'two wallets make a token each, and list their tokens',
  ],
  [
    'api-token.bearer.works',
    'Authentication',
    'An API token reads data endpoints as a bearer token.',
    '/swaps answers 200',
    USE,
  ],
  [
    'api-token.bearer.ticket',
    'Authentication',
    'An API token may ask for a WebSocket ticket.',
    '/auth/ws-ticket answers 200 with a ticket',
    USE,
  ],
  [
    'api-token.covers.data',
    'Authentication',
    'API tokens cover data and trading endpoints.',
    'none of them returns 401 or 403 to a token of a wallet with access, nor an error that persists and that a session does not get',
    'Reads them all, a route between two listed tokens among them.',
  ],
  [
    'api-token.management.session-only',
    'Authentication',
    'Token management takes a browser session only.',
    'with a bearer token it is refused with a 4xx',
    'lists tokens, makes one, and revokes another and itself with a bearer token, with a list in between that the session is served',
  ],
  [
    'api-token.revoke.record',
    'Resources: API token',
    'Revoking answers with the id and revoked=true.',
    'the record fits',
    USE,
  ],
  [
    'api-token.revoke.ends',
    'States and transitions',
    'A revoked token is invalid.',
    'it gets 401 or 403 at each of five endpoints, and another token of the wallet works',
    'Reads five endpoints with the token before and after it is revoked, and /swaps with another token of the wallet.',
  ],
  [
    'api-token.revoke.own-only',
    'States and transitions',
    'A token is revoked by its owner.',
    'it works on after another wallet has tried',
    'One wallet makes two tokens, the session of another deletes one, then its owner does. A refusal counts if it persists while the other token works.',
  ],
  [
    'api-token.life.expires',
    'API token endpoints',
    'A token expires after the days that were asked for.',
    'one for one day answers 401 two days later',
    'makes a token for one day, moves the clock on by two, and goes back to a snapshot',
    'control',
  ],
])

export const RATE_LIMIT_RULES = serverRules([
  [
    'rate-limit.burst.429',
    'Errors',
    'Too many requests are answered with 429.',
    'requests above the limit of the profile get 429',
    'Reads /access/status ten at a time until a 429 comes, or twice as much was served as the limit in the profile allows. Errors count if they begin at the limit, and do so again after it has refilled.',
  ],
  [
    'rate-limit.wait.recovers',
    'Errors',
    'A client that waits is served again.',
    'after the wait the same request answers 200',
    'Waits as the 429 says, and at least until the limit has refilled; reads again, up to three times. A 5xx counts only if it then comes four times over at least 5 s while /tokens is served.',
    'a minute',
  ],
])
