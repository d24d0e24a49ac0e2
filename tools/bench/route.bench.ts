import type { IndexState } from '../../simulator/indexer/index-state.ts'
import { createRandom, type RandomStream } from '../../simulator/random.ts'
import { quantile, spread } from './measuring.ts'
import { openWorld } from './open-world.ts'

const WORLD = 'wide'
const ROUNDS = 5
/** Per kind and round. */
const QUERIES = 500
/** As for a stub that gets ten route requests per second: a tenth are the first ones after a block. */
const QUERIES_PER_BLOCK = 10

type Ends = { tokenIn: string; tokenOut: string }
type Tokens = { hubs: readonly string[]; others: readonly string[]; unpooled: readonly string[] }

/** The endpoints of routes. Those between hubs are the most expensive, since most paths are searched. */
const KINDS: Record<string, (tokens: Tokens, stream: RandomStream) => Ends> = {
  'hub to hub': ({ hubs }, stream) => {
    const [tokenIn = '', tokenOut = ''] = stream.float() < 0.5 ? hubs : hubs.toReversed()
    return { tokenIn, tokenOut }
  },
  'hub to another': ({ hubs, others }, stream) => ({
    tokenIn: stream.pick(hubs),
    tokenOut: stream.pick(others),
  }),
  'another to a hub': ({ hubs, others }, stream) => ({
    tokenIn: stream.pick(others),
    tokenOut: stream.pick(hubs),
  }),
  'between others': ({ others }, stream) => ({ tokenIn: stream.pick(others), tokenOut: stream.pick(others) }),
  'from a hub, none': ({ hubs, unpooled }, stream) => ({
    tokenIn: stream.pick(hubs),
    tokenOut: stream.pick(unpooled),
  }),
}

/**
 * Time to find a route of at most three hops in a world of ten thousand pools, in ms: `views.route` including garbage collection,
 * also of the blocks' garbage. Excludes mining and indexing the blocks, and the first routes, since the very first reads all
 * pools.
 */
export function benchRoute({ print }: { print: (line: string) => void }): void {
  const world = openWorld(WORLD)
  const state = world.state().index
  const stream = createRandom(1).stream('routes')
  const tokens = pickTokens(state)
  const { size } = state.pools
  const requestRound = (): Round => {
    const round: Round = {}
    for (const [kind, draw] of Object.entries(KINDS)) {
      const requested: RouteRequest[] = []
      for (let query = 0; query < QUERIES; query++) {
        const isFirst = query % QUERIES_PER_BLOCK === 0
        if (isFirst) world.mine()
        const ends = draw(tokens, stream)
        const amountIn = drawAmount(state, ends.tokenIn, stream)
        const cpuBefore = process.cpuUsage()
        const startMs = performance.now()
        const route = world.views.route({ ...ends, amountIn, hopsMax: 3 })
        const tookMs = performance.now() - startMs
        const { user, system } = process.cpuUsage(cpuBefore)
        requested.push({ tookMs, cpuMs: (user + system) / 1000, isFirst, isFound: route !== undefined })
      }
      round[kind] = requested
    }
    return round
  }
  requestRound()
  const rounds = Array.from({ length: ROUNDS }, requestRound)
  print(
    `world ${WORLD}, ${size.toLocaleString('en')} pools, a block after each ${QUERIES_PER_BLOCK} routes (ms);`,
  )
  print(`medians of ${ROUNDS} rounds of ${QUERIES} routes each (minimum to maximum):`)
  for (const kind of Object.keys(KINDS)) {
    const ofKind = rounds.map((round) => round[kind] ?? [])
    const found = ofKind.flat().filter(({ isFound }) => isFound).length
    print(`  ${kind}: ${figures(ofKind)}; ${found} of ${ROUNDS * QUERIES} found`)
  }
  const all = rounds.map((round) => Object.values(round).flat())
  print(`  first of a block: ${figures(all.map((requested) => requested.filter(({ isFirst }) => isFirst)))}`)
  print(`  all: ${figures(all)} (target p99 5)`)
  print(`  all, CPU time: ${figures(all, 'cpuMs')}`)
}

type RouteRequest = {
  tookMs: number
  /** Over all threads: includes parallel garbage collection, but no other programs. */
  cpuMs: number
  isFirst: boolean
  isFound: boolean
}
type Round = Record<string, RouteRequest[]>

/** The two tokens with the most pools, the others with pools, and those without. */
function pickTokens(state: IndexState): Tokens {
  const countPools = (token: string) => state.poolsByToken.get(token)?.length ?? 0
  const byPools = [...state.tokens.keys()].sort((a, b) => countPools(b) - countPools(a))
  return {
    hubs: byPools.slice(0, 2),
    others: byPools.slice(2).filter((token) => countPools(token) > 0),
    unpooled: byPools.filter((token) => countPools(token) === 0),
  }
}

/** Log-uniform, from a millionth of one pool's reserve of the token to a hundred times the reserve. */
function drawAmount(state: IndexState, token: string, stream: RandomStream): bigint {
  const pool = stream.pick(state.poolsByToken.get(token) ?? [])
  const held = pool.token0.id === token ? pool.balance0 : pool.balance1
  const millionths = BigInt(Math.round(10 ** (8 * stream.float())))
  return (held * millionths) / 1_000_000n + 1n
}

function figures(rounds: readonly (readonly RouteRequest[])[], time: 'tookMs' | 'cpuMs' = 'tookMs'): string {
  const ascending = rounds.map((requested) => requested.map((one) => one[time]).sort((a, b) => a - b))
  const show = (share: number) => spread(ascending.map((times) => quantile(times, share)))
  return `p50 ${show(0.5)}, p99 ${show(0.99)}, most ${show(1)}`
}
