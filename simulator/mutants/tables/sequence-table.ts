/**
 * Mutants that need a sequence: they respond correctly until a client has taken several steps. The probes of `smoke` do not
 * take these steps, so `explore` has to find them.
 */
import type { FastifyRequest } from 'fastify'
import type { Grant } from '../../auth/sessions.ts'
import type { Deviation, DeviationRequest, DeviationResponse, DeviationTable, Sent } from '../deviation.ts'
import { rest } from '../reactions.ts'

/** `states`: the part of the specification with the sentence that the mutant breaks. */
export type SequenceTable = DeviationTable & Readonly<Record<string, { states: string }>>

type Reaction = (response: DeviationResponse) => Sent

const STATUSES = [200, 201, 400, 401, 403, 404, 409, 429, 503]

/** Reactions that depend on earlier responses: `make` is called once per stub, and its result for each response. */
export function remembering(
  routes: Parameters<typeof rest>[0],
  make: () => (incoming: DeviationRequest) => Reaction | undefined,
): Deviation {
  const chosen = new WeakMap<FastifyRequest, Reaction>()
  return rest(routes, {
    of: STATUSES,
    when: () => {
      const choose = make()
      return (incoming) => {
        const reaction = choose(incoming)
        if (reaction) chosen.set(incoming.request, reaction)
        return reaction !== undefined
      }
    },
    reply: (response) => chosen.get(response.request)?.(response),
  })
}

/** The credential of a request, or its wallet; empty for strangers. */
export function callerOf({ request: { credential } }: DeviationRequest): { id: string; address: string } {
  return typeof credential === 'string' ? { id: '', address: '' } : credential
}

export function routeOf({ request }: DeviationRequest): string {
  return `${request.method} ${request.routeOptions.url}`
}

export function isSuccess({ status }: DeviationRequest): boolean {
  return status === 200 || status === 201
}

/** Adds one to the count of a key and returns it. */
export function countUp<Key>(counts: Map<Key, number>, key: Key): number {
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  return count
}

/** The permanent part of a session's refresh tokens. */
export function familyOf({ refreshToken }: Pick<Grant, 'refreshToken'>): string {
  return refreshToken.split('.', 1)[0] ?? ''
}
