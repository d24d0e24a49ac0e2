import type { IndexState } from '../../simulator/indexer/index-state.ts'
import { createRandom, type RandomStream } from '../../simulator/random.ts'
import { openWorld } from './open-world.ts'
import { quantile } from './spread.ts'

const WORLD = 'wide'
const QUERIES = 1000
const WARM_UP = 200
/** A block comes between: most routes are asked of a head that was asked before, some of a new one. */
const QUERIES_PER_BLOCK = 100

type Ends = { tokenIn: string; tokenOut: string }
type Tokens = { hubs: readonly string[]; others: readonly string[]; unpooled: readonly string[] }

/** Which routes are asked for; most of what hubs can lead to is looked at, which makes them the dearest. */
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

/** How long a route of at most three hops takes to be found on a world of ten thousand pools, in milliseconds. */
export function benchRoute({ print }: { print: (line: string) => void }): void {
  const world = openWorld(WORLD)
  const state = world.state().index
  const stream = createRandom(1).stream('routes')
  const tokens = tokensOf(state)
  const pools = state.pools.size.toLocaleString('en')
  print(
    `world ${WORLD}, ${pools} pools, ${QUERIES} routes each, a block after each ${QUERIES_PER_BLOCK} (ms):`,
  )
  const all: number[] = []
  for (const [kind, draw] of Object.entries(KINDS)) {
    const times: number[] = []
    let found = 0
    for (let query = -WARM_UP; query < QUERIES; query++) {
      if (query % QUERIES_PER_BLOCK === 0) world.mine()
      const ends = draw(tokens, stream)
      const amountIn = drawAmount(state, ends.tokenIn, stream)
      const startMs = performance.now()
      const route = world.views.route({ ...ends, amountIn, hopsMax: 3 })
      if (query < 0) continue
      times.push(performance.now() - startMs)
      if (route) found += 1
    }
    all.push(...times)
    print(`  ${kind}: ${line(times)}; ${found} found`)
  }
  print(`  all: ${line(all)} (target p99 5)`)
}

/** The two with most pools, the others that have some, and those without. */
function tokensOf(state: IndexState): Tokens {
  const poolsOf = (token: string) => state.poolsByToken.get(token)?.length ?? 0
  const byPools = [...state.tokens.keys()].sort((a, b) => poolsOf(b) - poolsOf(a))
  return {
    hubs: byPools.slice(0, 2),
    others: byPools.slice(2).filter((token) => poolsOf(token) > 0),
    unpooled: byPools.filter((token) => poolsOf(token) === 0),
  }
}

/** From a millionth of what one of the token's pools holds to a hundred times that, each order of magnitude as likely. */
function drawAmount(state: IndexState, token: string, stream: RandomStream): bigint {
  const pool = stream.pick(state.poolsByToken.get(token) ?? [])
  const held = pool.token0.id === token ? pool.balance0 : pool.balance1
  const millionths = BigInt(Math.round(10 ** (8 * stream.float())))
  return (held * millionths) / 1_000_000n + 1n
}

function line(times: readonly number[]): string {
  const ascending = times.toSorted((a, b) => a - b)
  const show = (share: number) => quantile(ascending, share).toFixed(2)
  return `p50 ${show(0.5)}, p99 ${show(0.99)}, most ${show(1)}`
}
