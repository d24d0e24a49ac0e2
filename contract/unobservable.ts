/** Sentences of the specification that no client can check, each with the reason. Plain data. */
export type Unobservable = {
  /** The specification's section, in short. */
  section: string
  /** The sentence of the specification, in our own words. */
  sentence: string
  reason: string
}

type Line = readonly [section: string, sentence: string, reason: string]

const ON_CHAIN = 'it happens on the chain, which is not part of this interface'
const SHAPE_OPEN =
  'the shape is not specified: a client can only see that the route exists, if its path is known'
const NOT_PROVOKED = 'no client can trigger it'
const MEANING = 'it explains a meaning, and promises nothing that could be missing'
const INSIDE = 'it happens inside the service, and no response shows it'

const LINES: readonly Line[] = [
  [
    'What the service does',
    'The client wallet builds, proves and submits the transactions itself.',
    ON_CHAIN,
  ],
  [
    'What the service does',
    'The service supplies statistics, candles, liquidity distribution, oracle data, compliance state and introspection.',
    SHAPE_OPEN,
  ],
  [
    'What the service does',
    'The faucet sends three test-style tokens to an address, as records.',
    'the shape of the response is not specified, and the records are on the chain',
  ],
  [
    'What the service does',
    'On-chain transactions target the configured exchange program and a token-registry program.',
    ON_CHAIN,
  ],
  [
    'What the service does',
    'Mainnet is the default network; a testnet also exists.',
    'no response names one',
  ],
  [
    'Wire conventions',
    'Signed response metrics may begin with `-`.',
    'it allows something, and forbids nothing',
  ],
  [
    'Wire conventions',
    'Exact values are never derived, rounded or converted to native numbers.',
    'the figure before it was sent is not visible; a rule checks that it is sent as a string',
  ],
  [
    'Resources',
    'Fields of statistics, trades, candles, distribution, oracle, positions, balances, token registry, compliance, protocol state and routes.',
    'not specified',
  ],
  ['Resources', 'The format of timestamps such as createdAt and executed_at.', 'not specified'],
  [
    'Resources: API token',
    'The token is the full secret.',
    'a client cannot see if the secret has further parts; a rule checks that the token works alone',
  ],
  [
    'Resources: position',
    'is_frozen and frozen_at say if a position is frozen.',
    'the frozen state is on the chain',
  ],
  ['Resources: swap', 'executed_at, transaction, nonce and swap_id are those of the swap.', ON_CHAIN],
  ['Resources: fee tier', 'transaction is the one that created the tier.', ON_CHAIN],
  [
    'States',
    'The transitions of pools and positions.',
    'not specified; the cause of an enabled pool or a frozen position is on the chain',
  ],
  ['States', 'Verify records the acceptance of the terms of use.', INSIDE],
  [
    'GET /explore/pools',
    'The allowed values of `sort`, and the defaults of all parameters.',
    'not specified',
  ],
  [
    'GET /explore/pools',
    'The metrics are those of the window.',
    'how a window is measured is not specified, so there is no figure to compare with',
  ],
  [
    'GET /explore/pools',
    'An internal error returns 500 with the error body.',
    `${NOT_PROVOKED}; the body of a repeated one is judged like that of any error`,
  ],
  [
    'API token endpoints',
    'Eight error bodies are defined for creation, five for revocation.',
    'their statuses are not specified; a rule checks the body',
  ],
  [
    'API token endpoints',
    'The bounds of name and expires_in_days, and if they are required.',
    'not specified',
  ],
  [
    'Data and trading endpoints',
    'A route is guidance from indexed state, not a guarantee of execution.',
    MEANING,
  ],
  [
    'Data and trading endpoints',
    '/schema/trading gives the current input schemas.',
    'the current schema is on the chain; a rule checks the shape of the entries',
  ],
  [
    'Admin endpoints',
    'Mint mints an existing wrapper token to the recipient and broadcasts the transaction.',
    ON_CHAIN,
  ],
  [
    'Admin endpoints',
    'Seven error bodies are defined for mint.',
    'their statuses are not specified; a rule checks the body',
  ],
  [
    'Public pool and token endpoints',
    'A key is never derived from token symbols.',
    `${INSIDE}: a key is any string`,
  ],
  [
    'Public pool and token endpoints',
    'GET /tokens gives the token registry rows.',
    'the fields of a row are not specified; a rule checks that there is a list',
  ],
  ['Authentication', 'A wallet session is for browsers, an API token for backends and bots.', MEANING],
  [
    'Authentication',
    'Endpoints require a wallet that has accepted the current terms of use.',
    'every sign-in accepts them, so no client can use a wallet that has not',
  ],
  ['Authentication', 'Signing proves control of the address and submits no transaction.', MEANING],
  [
    'Authentication',
    'If /protocol/state is public or needs credentials.',
    'the specification contradicts itself: the profile says which (`protocolState.access`)',
  ],
  [
    'Authentication',
    'Cookies, CSRF tokens and API tokens never appear in logs.',
    'the logs of the service are not visible; a rule checks that its responses contain none in a URL',
  ],
  [
    'Authentication',
    'Cookie names, refresh-token lifetime, nonce lifetime, how an administrator is designated.',
    'not specified',
  ],
  ['Events', 'The gateway is separate from the REST host.', 'two addresses do not prove two hosts'],
  ['Events', 'REST is the source of truth; events are hints.', MEANING],
  [
    'Events: rooms',
    'PoolStats, Ohlcv and Trade are about prices, candles and swaps.',
    'the fields of their data are not specified',
  ],
  ['Events: rooms', 'Balance events are hints of a change.', 'the cause of a balance change is on the chain'],
  [
    'Events: server messages',
    '`resync_required` says that updates may have been missed.',
    `${NOT_PROVOKED}, and a missed update is not visible`,
  ],
  [
    'Events: server messages',
    'ProtocolConfigChanged is an invalidation, not the new configuration.',
    MEANING,
  ],
  ['Events', 'The frame or close code for a failed authentication or an invalid room name.', 'not specified'],
  [
    'Data and trading endpoints',
    'How soon a route has an announced revision, and REST shows what an event announces.',
    'not specified: a rule checks that it comes at all, and fails only if a control API can advance the chain',
  ],
  ['Errors', 'Codes other than protocol_revision_pending.', 'not specified'],
  ['Errors', 'Other 5xx are transient.', NOT_PROVOKED],
  [
    'Limits',
    'REST rate limits, the maximum number of API tokens per wallet, the maximum lifetime of a token.',
    'not specified',
  ],
  [
    'Versioning',
    'The machine-readable interface description carries the version 0.1.0.',
    'the location of the description is not specified',
  ],
  ['Versioning', 'Event controls may gain new values.', 'it allows something, and forbids nothing'],
  ['Versioning', 'Path versioning, deprecation and compatibility.', 'not specified'],
]

export const UNOBSERVABLE: readonly Unobservable[] = LINES.map(([section, sentence, reason]) => ({
  section,
  sentence,
  reason,
}))
