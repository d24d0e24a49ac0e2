/**
 * What the specification calls "not shown", decided for the stub, in one place. What the target profile
 * (contract/profile.ts) can name stands there too, with the same value as its default; a test holds the two together.
 */
export const CHOICES = {
  cookies: {
    access: 'access',
    refresh: 'refresh',
    path: '/',
    /** Lax, not Secure: the stub speaks plain HTTP on loopback. SameSite is what guards refresh, which takes no CSRF header. */
    sameSite: 'lax',
  },
  challenge: {
    /** A nonce signs in once, and only for so long. */
    lifetimeSeconds: 300,
    /** Challenges of one wallet that may be open at once; the oldest makes room. */
    openMax: 64,
    addressLengthMax: 128,
    signatureLengthMax: 1024,
  },
  refresh: {
    /** From the last refresh; then the session has ended. */
    lifetimeSeconds: 7 * 24 * 60 * 60,
    /** For so long a replaced refresh token counts as a racing one (409); after that as a stolen one (401, session ended). */
    graceSeconds: 10,
  },
  apiTokens: {
    nameLengthMin: 1,
    nameLengthMax: 64,
    /** Optional; without it a token does not expire. */
    expiresInDaysMin: 1,
    expiresInDaysMax: 365,
    /** `ss_` and eight characters. */
    prefixLength: 11,
    perWalletMax: 100,
  },
  paging: {
    limitDefault: 20,
    /** Bounds of `limit` on every list are those of LIMITS; the specification states them for two of the lists. */
    offsetMax: Number.MAX_SAFE_INTEGER,
  },
  explorePools: {
    windows: ['1h', '1d', '1w', '1m'],
    windowDefault: '1d',
    /** Values of `sort`, and the field of the row that each sorts by. */
    sorts: {
      created: 'createdAt',
      tvl: 'tvlUsd',
      volume: 'volumeUsd',
      price: 'priceUsd',
      change: 'priceChangePct',
    },
    sortDefault: 'tvl',
    orders: ['asc', 'desc'],
    orderDefault: 'desc',
    searchLengthMax: 400,
  },
  swaps: { poolFilter: 'pool' },
  /** 128 bits, as the chain's amounts. */
  amountInMax: 2n ** 128n - 1n,
  /** The longest token id or pool key that a request may carry. */
  keyLengthMax: 512,
  pendingRevision: { retryAfterSeconds: 1 },
  bodyBytesMax: 64 * 1024,
} as const
