/** Areas of commands, with their weights. A sequence uses a few areas or kinds, so that its commands concern each other. */
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

const TICKETS: Weights = {
  'sign-in': 4,
  'create-token': 2,
  ticket: 8,
  redeem: 5,
  connect: 4,
  renew: 5,
  refresh: 2,
  subscribe: 2,
  hear: 2,
  synchronize: 2,
  close: 1,
  wait: 1,
}

const ROOMS: Weights = {
  'sign-in': 1,
  connect: 4,
  subscribe: 10,
  unsubscribe: 8,
  renew: 3,
  synchronize: 4,
  hear: 4,
  close: 2,
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

const LISTS: Weights = { ...SIGNED_IN, page: 20, walk: 4, 'read-pool': 5, 'list-registry': 1, wait: 3 }
const ROUTES: Weights = { ...SIGNED_IN, route: 12, 'read-state': 8 }
const FAUCET: Weights = { ...SIGNED_IN, 'create-token': 4, refresh: 2, claim: 12, wait: 5 }
const ADMIN: Weights = { 'sign-in': 5, 'create-token': 5, 'read-codes': 8, mint: 6, 'redeem-code': 4 }

const STRANGERS: Weights = { 'sign-in': 4, 'create-token': 3, refresh: 1, ask: 16, forge: 2 }

/** How often a sequence uses an area. */
const AREAS: readonly (readonly [Weights, number])[] = [
  [SESSIONS, 0.5],
  [TICKETS, 0.25],
  [ROOMS, 0.4],
  [TOKENS, 0.3],
  [LISTS, 0.3],
  [ROUTES, 0.2],
  [FAUCET, 0.12],
  [ADMIN, 0.12],
  [STRANGERS, 0.1],
]

/** Shares of sequences: with a few kinds, and others with a single area. */
const NARROW = 0.5
const FOCUSED = 0.7
const NARROW_KINDS_MAX = 4
/** Share of kinds of a narrow sequence that are drawn without weights: some of low weight must come often. */
const RARE = 0.5
/** Areas of the kinds of a narrow sequence. */
const NARROW_AREAS = [1, 1, 2]

const SWARM = [0, 0.5, 1, 1, 3]
/** Without these, nothing else can be drawn. */
const NEEDED: readonly CommandKind[] = ['sign-in']
/** Kinds that create what others use. */
const NEEDS: Partial<Record<CommandKind, CommandKind>> = {
  'revoke-token': 'create-token',
  redeem: 'ticket',
  renew: 'connect',
  subscribe: 'connect',
  unsubscribe: 'subscribe',
  synchronize: 'connect',
  hear: 'subscribe',
  close: 'connect',
}
/** Weight of kinds that a narrow sequence uses for others. */
const AUXILIARY = 0.3

/** The weights of the kinds that a sequence draws: a few kinds, or those of its areas, some left out or more frequent (swarm testing). */
export function drawWeights(random: RandomStream, kinds: readonly CommandKind[]): Weighted {
  const usable = AREAS.filter(([weights]) => kinds.some((kind) => kind in weights && !NEEDED.includes(kind)))
  const from = usable.length > 0 ? usable : AREAS
  return random.float() < NARROW ? drawNarrow(random, { from, kinds }) : drawWide(random, { from, kinds })
}

type From = { from: typeof AREAS; kinds: readonly CommandKind[] }

/** A few kinds, which therefore come often: some states need the same command several times. */
function drawNarrow(random: RandomStream, { from, kinds }: From): Weighted {
  const areas = Array.from({ length: random.pick(NARROW_AREAS) }, () => pickWeighted(random, from))
  const candidates = new Map(
    kinds.flatMap((kind) => {
      const weight = Math.max(0, ...areas.map((weights) => weights[kind] ?? 0))
      return weight > 0 ? [[kind, weight] as const] : []
    }),
  )
  const chosen = new Map<CommandKind, number>()
  const wanted = random.int(1, NARROW_KINDS_MAX)
  while (chosen.size < wanted && candidates.size > 0) {
    const kind =
      random.float() < RARE ? random.pick([...candidates.keys()]) : pickWeighted(random, [...candidates])
    candidates.delete(kind)
    chosen.set(kind, random.pick([1, 1, 3]))
  }
  const need = (kind: CommandKind) => {
    if (kinds.includes(kind) && !chosen.has(kind)) chosen.set(kind, AUXILIARY)
  }
  // The kinds that are needed are visited, too.
  for (const kind of chosen.keys()) {
    const needed = NEEDS[kind]
    if (needed !== undefined) need(needed)
  }
  for (const kind of NEEDED) need(kind)
  return [...chosen]
}

function drawWide(random: RandomStream, { from, kinds }: From): Weighted {
  const drawn = from.filter(([, share]) => random.float() < share)
  const all = drawn.length > 0 ? drawn : [random.pick(from)]
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

/** Picks from a list that is not empty. */
export function pickWeighted<Each>(random: RandomStream, list: readonly (readonly [Each, number])[]): Each {
  const total = list.reduce((sum, [, weight]) => sum + weight, 0)
  let left = random.float() * total
  for (const [each, weight] of list) {
    left -= weight
    if (left < 0) return each
  }
  return random.pick(list)[0]
}
