import type { ChoiceRow } from './choice-rows.ts'

export const AT_MS = Date.UTC(2025, 0, 2, 3, 4, 5, 6)
const TOKEN_ID = '44266790276759384251610966982347841834512664441138819572721431316092680251field'
const POOL_KEY = '7004150756827642400743706520569186585858500213401534640423066173434833509020field'
export const ADDRESS = 'bw1qxgdm2qlt4k7t8epzqr34mdwgv2fv0mdac8x0g6rm69ptndlsweq08k4w4'
export const UUID = '0b2f6c1e-8a57-4d0e-9c39-5f1c7a4e2d90'

export const WIRE_ROWS: readonly ChoiceRow[] = [
  {
    path: 'wire.timestamp',
    what: 'Times in records and events: strings',
    section: 'Other records',
    example: ({ wire }) => wire.timestamp(AT_MS),
  },
  {
    path: 'wire.expiry',
    what: 'The end of an access session, as `expiry` says',
    section: 'Authentication endpoints',
    example: ({ wire }) => JSON.stringify(wire.expiry(AT_MS)),
  },
  { path: 'profile.expiry', what: 'How that is written', section: 'Authentication endpoints' },
  {
    path: 'wire.revision',
    what: 'Revisions',
    section: 'Other records',
    example: ({ wire }) => JSON.stringify(wire.revision(42)),
  },
  {
    path: 'wire.fee',
    what: 'The fee of a pool of 0.3 %, an exact string',
    section: 'Plain pool record',
    example: ({ wire }) => wire.fee(3000),
  },
  {
    path: 'wire.retryAfter',
    what: '`Retry-After` for a wait of two seconds',
    section: 'Errors',
    example: ({ wire }) => wire.retryAfter({ waitMs: 2000, nowMs: AT_MS }),
  },
  {
    path: 'wire.tokenId',
    what: 'Token ids',
    section: 'Wire conventions',
    example: ({ wire }) => wire.tokenId.encode(TOKEN_ID),
  },
  {
    path: 'wire.poolKey',
    what: 'Pool keys',
    section: 'Wire conventions',
    example: ({ wire }) => wire.poolKey.encode(POOL_KEY),
  },
  {
    path: 'wire.address',
    what: 'Addresses',
    section: 'Wire conventions',
    example: ({ wire }) => wire.address.encode(ADDRESS),
  },
  {
    path: 'wire.walletPattern',
    what: 'Addresses of wallets, as a regular expression',
    section: 'Wire conventions',
  },
  {
    path: 'wire.sessionId',
    what: 'Ids of sessions',
    section: 'Authentication endpoints',
    example: ({ wire }) => wire.sessionId.encode(UUID),
  },
  {
    path: 'extraFields',
    what: 'Fields in every body and every event that are not stated',
    section: 'Wire conventions',
    example: ({ extraFields }) => JSON.stringify(extraFields),
  },
]

export const ERROR_ROWS: readonly ChoiceRow[] = [
  { path: 'errors.statuses', what: 'Statuses that differ, by error', section: 'Errors' },
  {
    path: 'errors.code',
    what: '`code`, but for `protocol_revision_pending`, which is stated',
    section: 'Errors',
  },
  { path: 'errors.ref', what: '`ref`', section: 'Errors' },
  { path: 'bodyBytesMax', what: 'The longest body of a request, in bytes', section: 'Limits' },
  { path: 'keyLengthMax', what: 'The longest id in a request, in characters', section: 'Wire conventions' },
]
