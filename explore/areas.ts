/** Areas of commands, with their weights. A sequence uses a few, so that its commands concern each other. */
import type { RandomStream } from '../simulator/random.ts'
import type { CommandKind } from './sequence.ts'

type Weights = Partial<Record<CommandKind, number>>
export type Weighted = readonly (readonly [CommandKind, number])[]

const SESSIONS: Weights = {
  'sign-in': 8,
  read: 8,
  refresh: 12,
  'log-out': 4,
  'log-out-all': 2,
  'revoke-session': 4,
  'list-sessions': 4,
  'create-token': 5,
  'revoke-token': 4,
  'list-tokens': 4,
  wait: 1,
}

const SOCKETS: Weights = {
  'sign-in': 4,
  'create-token': 2,
  ticket: 2,
  redeem: 2,
  connect: 6,
  renew: 5,
  subscribe: 8,
  unsubscribe: 5,
  synchronize: 2,
  hear: 4,
  close: 1,
  wait: 1,
}

const TOKENS: Weights = {
  'sign-in': 4,
  'create-token': 8,
  read: 6,
  'revoke-token': 6,
  'list-tokens': 4,
  refresh: 2,
  'log-out': 1,
}

/** Credentials for areas that are not about them. */
const SIGNED_IN: Weights = { 'sign-in': 2, 'create-token': 2 }

const LISTS: Weights = { ...SIGNED_IN, page: 20, walk: 4, 'read-pool': 5, 'list-registry': 1 }
const ROUTES: Weights = { ...SIGNED_IN, route: 12, 'read-state': 8 }
const FAUCET: Weights = { ...SIGNED_IN, 'create-token': 4, refresh: 2, claim: 12, wait: 5 }
const ADMIN: Weights = { 'sign-in': 5, 'create-token': 5, 'read-codes': 8, mint: 6, 'redeem-code': 4 }

const STRANGERS: Weights = { 'sign-in': 4, 'create-token': 3, refresh: 1, ask: 16, forge: 2 }

/** How often a sequence uses an area. */
const AREAS: readonly (readonly [Weights, number])[] = [
  [SESSIONS, 0.7],
  [SOCKETS, 0.6],
  [TOKENS, 0.3],
  [LISTS, 0.2],
  [ROUTES, 0.15],
  [FAUCET, 0.12],
  [ADMIN, 0.12],
  [STRANGERS, 0.1],
]

/** Share of sequences with a single area. */
const FOCUSED = 0.5

const SWARM = [0, 0.5, 1, 1, 3]
/** Without these, nothing else can be drawn. */
const NEEDED: readonly CommandKind[] = ['sign-in']

/** The weights of the kinds that a sequence draws: those of its areas, some left out or more frequent (swarm testing). */
export function drawWeights(random: RandomStream, kinds: readonly CommandKind[]): Weighted {
  const usable = AREAS.filter(([weights]) => kinds.some((kind) => kind in weights && !NEEDED.includes(kind)))
  const drawn = usable.filter(([, share]) => random.float() < share)
  const all = drawn.length > 0 ? drawn : [random.pick(usable.length > 0 ? usable : AREAS)]
  const areas = random.float() < FOCUSED ? [random.pick(all)] : all
  const weigh = (share: () => number): Weighted =>
    kinds.flatMap((kind) => {
      const weight = Math.max(0, ...areas.map(([weights]) => weights[kind] ?? 0))
      const total = NEEDED.includes(kind) ? Math.max(weight, 1) : weight * share()
      return total > 0 ? [[kind, total] as const] : []
    })
  const some = weigh(() => random.pick(SWARM))
  return some.some(([kind]) => !NEEDED.includes(kind)) ? some : weigh(() => 1)
}

export function pickKind(random: RandomStream, weights: Weighted): CommandKind {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  let left = random.float() * total
  for (const [kind, weight] of weights) {
    left -= weight
    if (left < 0) return kind
  }
  return 'sign-in'
}
