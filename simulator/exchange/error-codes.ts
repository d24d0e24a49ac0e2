/** Every error code of the REST host; the specification names protocol_revision_pending alone. */
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
  not_found: { status: 404, error: 'there is nothing at this path for this method' },
  pool_not_found: { status: 404, error: 'no pool has this key' },
  position_not_found: { status: 404, error: 'the wallet has no open position with this id' },
  token_not_found: { status: 404, error: 'no token has this id' },
  session_not_found: { status: 404, error: 'the wallet has no session with this id' },
  api_token_not_found: { status: 404, error: 'the wallet has no API token with this id' },
  no_route: { status: 404, error: 'no route is available' },
  refresh_raced: { status: 409, error: 'another refresh with this token came first; retry with its cookies' },
  api_token_limit: { status: 409, error: 'the wallet has as many API tokens as it may' },
  body_too_large: { status: 413, error: 'the body is too large' },
  media_type_unsupported: { status: 415, error: 'the body must be application/json' },
  rate_limited: { status: 429, error: 'too many requests' },
  internal: { status: 500, error: 'internal error' },
  protocol_revision_pending: { status: 503, error: 'the revision asked for is not indexed yet' },
} as const satisfies Record<string, { status: number; error: string }>

export type ErrorCode = keyof typeof ERRORS
