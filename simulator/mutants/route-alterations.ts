import type { Alteration } from '../exchange/replies/alter-answers.ts'
import type { ROUTE_MUTANTS } from './route.ts'
import { setAt } from './set-at.ts'

const ROUTE = ['GET /route']
const STATE = ['GET /protocol/state']
const isPending = (status: number) => status === 503

export const ROUTE_ALTERATIONS: Readonly<Partial<Record<keyof typeof ROUTE_MUTANTS, Alteration>>> = {
  'route-pool-number': {
    routes: ROUTE,
    alter({ body, choices: { profile } }) {
      const { hops, hop } = profile.route
      for (const one of at(body, hops) as object[]) setAt(one, hop.pool, 7) // as: the hops of this exchange's own route
    },
  },
  'route-revision-missing': {
    routes: ROUTE,
    alter: ({ body, choices: { profile } }) => setAt(body, profile.route.protocolRevision, undefined),
  },
  'route-revision-stuck': {
    routes: ROUTE,
    alter: ({ body, choices: { profile, wire } }) =>
      setAt(body, profile.route.protocolRevision, wire.revision(0)),
  },
  'route-amount-number': {
    routes: ROUTE,
    alter({ body, choices: { profile } }) {
      const { amountOut } = profile.route
      setAt(body, amountOut, Number(at(body, amountOut)))
    },
  },
  'route-open': {
    routes: ROUTE,
    statuses: (status) => status === 401,
    alter({ reply }) {
      reply.code(200)
      return { data: {} }
    },
  },
  'protocol-revision-missing': {
    routes: STATE,
    alter: ({ body, choices: { profile } }) => setAt(body, profile.protocolState.revision, undefined),
  },
  'protocol-pending-without-error': {
    routes: STATE,
    statuses: isPending,
    alter: ({ body }) => setAt(body, 'error', undefined),
  },
  'protocol-pending-without-wait': {
    routes: STATE,
    statuses: isPending,
    alter: ({ reply }) => void reply.removeHeader('retry-after'),
  },
  'protocol-minimum-undercut': {
    routes: STATE,
    alter({ body, request, choices: { profile, wire } }) {
      const asked = Number(at(request.query, 'minimum_revision') ?? 0)
      if (asked > 0) setAt(body, profile.protocolState.revision, wire.revision(asked - 1))
    },
  },
}

function at(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], body) // as: nested objects
}
