/**
 * Every error code of the REST host; the specification names protocol_revision_pending alone. With some goes `Retry-After`:
 * how long to wait.
 */
export const ERRORS = {
  invalid_request: { status: 400, error: 'the request is malformed' },
  credentials_missing: { status: 401, error: 'credentials are missing' },
  credentials_invalid: { status: 401, error: 'the credentials are invalid or have expired' },
  signature_invalid: { status: 401, error: 'the signature answers no open challenge of this address' },
  refresh_invalid: { status: 401, error: 'the refresh token is missing, invalid or has expired' },
  access_required: { status: 403, error: 'the wallet has no access' },
  session_required: { status: 403, error: 'this endpoint takes a browser session only' },
  admin_required: { status: 403, error: 'this endpoint takes the session of an administrator only' },
  csrf_required: { status: 403, error: 'X-CSRF-Token is missing or is not that of the session' },
  not_found: { status: 404, error: 'there is nothing at this path' },
  pool_not_found: { status: 404, error: 'no pool has this key' },
  position_not_found: { status: 404, error: 'the wallet has no open position with this id' },
  session_not_found: { status: 404, error: 'the wallet has no session with this id' },
  api_token_not_found: { status: 404, error: 'the wallet has no API token with this id' },
  token_not_found: { status: 404, error: 'there is no such token' },
  block_not_found: { status: 404, error: 'there is no such block, or it is no longer kept' },
  transaction_not_found: { status: 404, error: 'there is no such transaction, or it is no longer kept' },
  program_not_found: { status: 404, error: 'there is no such program' },
  mapping_not_found: { status: 404, error: 'the program has no such mapping, or nothing under this key' },
  referral_code_unknown: { status: 404, error: 'there is no such referral code' },
  no_route: { status: 404, error: 'no route is available' },
  method_not_allowed: { status: 405, error: 'this path does not take this method' },
  refresh_raced: { status: 409, error: 'another refresh with this token came first; retry with its cookies' },
  referral_code_taken: { status: 409, error: 'another wallet has redeemed this referral code' },
  referral_code_own: { status: 409, error: 'the referral code was issued to this wallet itself' },
  referral_second: { status: 409, error: 'the wallet came by another referral code already' },
  api_token_limit: { status: 409, error: 'the wallet has as many API tokens as it may' },
  body_too_large: { status: 413, error: 'the body is too large' },
  media_type_unsupported: { status: 415, error: 'the body must be application/json' },
  rate_limited: { status: 429, error: 'too many requests', retryAfter: true },
  faucet_claimed: {
    status: 429,
    error: 'the address has had its tokens a short while ago',
    retryAfter: true,
  },
  internal: { status: 500, error: 'internal error' },
  not_ready: { status: 503, error: 'the exchange is not ready', retryAfter: true },
  faucet_closed: { status: 503, error: 'the faucet has nothing to give' },
  protocol_revision_pending: {
    status: 503,
    error: 'the revision asked for is not indexed yet',
    retryAfter: true,
  },
} as const satisfies Record<string, { status: number; error: string; retryAfter?: true }>

export type ErrorCode = keyof typeof ERRORS
