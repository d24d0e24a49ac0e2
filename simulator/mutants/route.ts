import type { MutantTable } from './mutant-table.ts'

export const ROUTE_MUTANTS = {
  'route-4-hops': { breaks: 'routes of four hops are served', rules: ['route.hops.at-most-3'] },
  'route-pool-number': { breaks: 'the pool of a hop is a JSON number', rules: ['route.hops.exact-ids'] },
  'route-none-400': { breaks: 'a pair without a route answers 400', rules: ['route.none.404'] },
  'route-revision-missing': {
    breaks: 'routes do not tell their revision',
    rules: ['route.revision.present'],
  },
  'route-revision-stuck': {
    breaks: 'routes stay at the first revision',
    rules: ['route.revision.catches-up'],
  },
  'route-amount-number': {
    breaks: 'the amount out of a route is a JSON number',
    rules: ['route.amount.exact'],
  },
  'route-amount-zeros': {
    breaks: 'leading zeros of an amount are taken',
    rules: ['route.amount.canonical'],
  },
  'route-amount-comma': {
    breaks: 'an amount with a decimal comma is taken',
    rules: ['route.amount.canonical'],
  },
  'route-amount-spaces': {
    breaks: 'an amount grouped by spaces is taken',
    rules: ['route.amount.canonical'],
  },
  'route-open': {
    breaks: '/route answers without a valid credential',
    rules: ['route.credentials.missing-401', 'route.credentials.invalid-401'],
  },
  'protocol-revision-missing': {
    breaks: '/protocol/state does not tell the revision',
    rules: ['protocol.state.revision'],
  },
  'protocol-pending-without-code': {
    breaks: 'the 503 of a pending revision has no code',
    rules: ['protocol.pending.503'],
  },
  'protocol-pending-served': {
    breaks: 'a minimum_revision that is not there yet is served all the same',
    rules: ['protocol.pending.503', 'protocol.minimum.served'],
  },
  'protocol-pending-without-error': {
    breaks: 'the 503 of a pending revision has no `error`',
    rules: ['protocol.pending.error-body'],
  },
  'protocol-pending-without-wait': {
    breaks: 'the 503 of a pending revision has no Retry-After',
    rules: ['protocol.pending.retry-after'],
  },
  'protocol-minimum-undercut': {
    breaks: 'asked for a revision, /protocol/state tells of the one before it',
    rules: ['protocol.minimum.served'],
  },
  'protocol-minimum-exclusive': {
    breaks: 'the current revision is pending',
    rules: ['protocol.minimum.current'],
  },
  'protocol-minimum-exact': {
    breaks: 'a minimum_revision below the current one is pending',
    rules: ['protocol.minimum.older'],
  },
} as const satisfies MutantTable
