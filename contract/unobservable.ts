/** Sentences of the specification that no client can hold an exchange to, each with the reason. Plain data. */
export type Unobservable = {
  /** The specification's section, in short. */
  section: string
  /** What the specification says, in our own words. */
  sentence: string
  reason: string
}

type Line = readonly [section: string, sentence: string, reason: string]

const ON_CHAIN = 'it happens on the chain, which is not part of this interface'
const SHAPE_OPEN = 'the shape is not shown: only that the route is there can be seen, where its path is known'
const NOT_PROVOKED = 'no client can bring it about'
const MEANING = 'it says what something means, and promises nothing that could be missing'
const INSIDE = 'it happens inside the service, and no answer shows it'

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
    'the answer has no shown shape, and the records lie on the chain',
  ],
  [
    'What the service does',
    'On-chain transactions target the configured exchange program and a token-registry program.',
    ON_CHAIN,
  ],
  ['What the service does', 'Mainnet is the default network; a testnet also exists.', 'no answer names one'],
  ['Wire conventions', 'Signed response metrics may begin with `-`.', 'it allows, and forbids nothing'],
  [
    'Wire conventions',
    'Exact values are never derived, rounded or converted to native numbers.',
    'what a figure was before it was sent is not shown; that it is sent as a string is a rule',
  ],
  [
    'Resources',
    'Fields of statistics, trades, candles, distribution, oracle, positions, balances, token registry, compliance, protocol state and routes.',
    'not shown',
  ],
  ['Resources', 'The format of timestamps such as createdAt and executed_at.', 'not shown'],
  [
    'Resources: API token',
    'The token is the full secret.',
    'whether there is more to it is not shown; that it works alone is a rule',
  ],
  [
    'Resources: position',
    'is_frozen and frozen_at tell whether a position is frozen.',
    'whether it is frozen lies on the chain',
  ],
  ['Resources: swap', 'executed_at, transaction, nonce and swap_id are those of the swap.', ON_CHAIN],
  ['Resources: fee tier', 'transaction is the one that made the tier.', ON_CHAIN],
  [
    'States',
    'The transitions of pools and positions.',
    'not shown; what made a pool enabled or a position frozen lies on the chain',
  ],
  ['States', 'Verify records the acceptance of the terms of use.', INSIDE],
  ['GET /explore/pools', 'The allowed values of `sort`, and the defaults of all parameters.', 'not shown'],
  [
    'GET /explore/pools',
    'The metrics are those of the window.',
    'how a window is measured is not shown, so no other figure can be held against it',
  ],
  [
    'GET /explore/pools',
    'An internal error answers 500 with the error body.',
    `${NOT_PROVOKED}; the body of one that comes again is judged like that of any error`,
  ],
  [
    'API token endpoints',
    'Eight error bodies are defined for creation, five for revocation.',
    'which statuses they have is not shown; what a body has is a rule',
  ],
  ['API token endpoints', 'Bounds and required-ness of name and expires_in_days.', 'not shown'],
  [
    'Data and trading endpoints',
    'A route is guidance from indexed state, not a guarantee of execution.',
    MEANING,
  ],
  [
    'Data and trading endpoints',
    '/schema/trading gives the current input schemas.',
    'what is current lies on the chain; the shape of the entries is a rule',
  ],
  [
    'Admin endpoints',
    'Mint mints an existing wrapper token to the recipient and broadcasts the transaction.',
    ON_CHAIN,
  ],
  [
    'Admin endpoints',
    'Seven error bodies are defined for mint.',
    'which statuses they have is not shown; what a body has is a rule',
  ],
  [
    'Public pool and token endpoints',
    'A key is never derived from token symbols.',
    `${INSIDE}: a key is any string`,
  ],
  [
    'Public pool and token endpoints',
    'GET /tokens gives the token registry rows.',
    'the fields of a row are not shown; that there is a list is a rule',
  ],
  ['Authentication', 'A wallet session is for browsers, an API token for backends and bots.', MEANING],
  [
    'Authentication',
    'Endpoints require a wallet that has accepted the current terms of use.',
    'every sign-in accepts them: a wallet that has not cannot be had',
  ],
  ['Authentication', 'Signing proves control of the address and submits no transaction.', MEANING],
  [
    'Authentication',
    'Whether /protocol/state is public or takes credentials.',
    'the statements disagree: the profile says which (`protocolState.access`)',
  ],
  [
    'Authentication',
    'Cookies, CSRF tokens and API tokens never appear in logs.',
    'the logs of the service are not shown; that its answers hold none in a URL is a rule',
  ],
  [
    'Authentication',
    'Cookie names, refresh-token lifetime, nonce lifetime, how an administrator is designated.',
    'not shown',
  ],
  [
    'Events',
    'The gateway is separate from the REST host.',
    'two addresses do not tell whether two hosts are behind them',
  ],
  ['Events', 'REST is the source of truth; events are hints.', MEANING],
  [
    'Events: rooms',
    'PoolStats, Ohlcv and Trade tell of prices, candles and swaps.',
    'the fields of their data are not shown',
  ],
  ['Events: rooms', 'Balance events are hints of a change.', 'what changes a balance lies on the chain'],
  [
    'Events: server messages',
    '`resync_required` says that updates may have been missed.',
    `${NOT_PROVOKED}, and a miss is not shown`,
  ],
  [
    'Events: server messages',
    'ProtocolConfigChanged is an invalidation, not the new configuration.',
    MEANING,
  ],
  ['Events', 'The frame or close code for a failed authentication or an invalid room name.', 'not shown'],
  [
    'Data and trading endpoints',
    'How soon a route is of a revision that was announced, and REST shows what an event announces.',
    'not stated: that it comes at all is a rule, which fails only where the chain goes on at our word',
  ],
  ['Errors', 'Codes other than protocol_revision_pending.', 'not shown'],
  ['Errors', 'Other 5xx are transient.', NOT_PROVOKED],
  [
    'Limits',
    'REST rate limits, the most API tokens a wallet may have, the longest life of a token.',
    'not shown',
  ],
  [
    'Versioning',
    'The machine-readable interface description carries the version 0.1.0.',
    'where the description lies is not shown',
  ],
  ['Versioning', 'Event controls may gain new values.', 'it allows, and forbids nothing'],
  ['Versioning', 'Path versioning, deprecation and compatibility.', 'not shown'],
]

export const UNOBSERVABLE: readonly Unobservable[] = LINES.map(([section, sentence, reason]) => ({
  section,
  sentence,
  reason,
}))
