import { serverRules } from '../rule.ts'

export const ROUTE_RULES = serverRules([
  [
    'route.hops.at-most-3',
    'Limits',
    'A route has at most three hops.',
    'every route found between the probed tokens has 1 to 3 hops',
  ],
  [
    'route.none.404',
    'Data and trading endpoints',
    'Where no route is available, /route answers 404.',
    'a pair without a route answers 404',
  ],
  [
    'route.revision.present',
    'Data and trading endpoints',
    'A route carries its protocol_revision.',
    'every route found carries one',
  ],
  [
    'route.revision.catches-up',
    'Data and trading endpoints',
    'A route older than a received revision is discarded or requoted: requoting gets a route that is not stale.',
    'after a revision event, requotes reach that revision',
  ],
  [
    'route.amount.exact',
    'Wire conventions',
    'Exact figures in a route are strings.',
    'the amount out is a string',
  ],
  [
    'route.amount.canonical',
    'Wire conventions',
    'An amount with sign, exponent, separator, white space, fraction or leading zero is refused.',
    'each such amount_in is refused with a 4xx',
  ],
])

export const PROTOCOL_RULES = serverRules([
  [
    'protocol.state.revision',
    'Versioning',
    'The protocol configuration carries a revision.',
    '/protocol/state answers 200 with a revision',
  ],
  [
    'protocol.pending.503',
    'Errors',
    'A revision that is not there yet is answered with 503 and the code protocol_revision_pending.',
    'minimum_revision one ahead answers 503 with that code, or waits for it',
  ],
  [
    'protocol.pending.retry-after',
    'Errors',
    'The 503 of a pending revision says in Retry-After how long to wait.',
    'Retry-After is a number of seconds or a date',
  ],
  [
    'protocol.minimum.served',
    'Events',
    'After the wait, /protocol/state answers with at least the revision asked for.',
    'the revision served is not below the minimum',
  ],
])
