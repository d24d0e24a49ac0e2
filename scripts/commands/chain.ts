import { createClock } from '../../simulator/clock.ts'
import { createRandom } from '../../simulator/random.ts'
import { createWorld, type World } from '../../simulator/world.ts'
import { loadWorldFixture, startMsOf } from '../../simulator/world-fixture.ts'

export type ChainOptions = {
  world: string
  /** Blocks to mine after the world's history. */
  blocks: number
  seed: number
  json: boolean
  stdout: (line: string) => void
}

/** `breakwater chain`: the chain alone, without exchange or load. Throws BreakwaterError for an unknown or wrong world. */
export async function runChain(options: ChainOptions): Promise<void> {
  const { stdout } = options
  const result = mineWorld(options)
  if (options.json) {
    stdout(JSON.stringify(result, null, 2))
    return
  }
  for (const line of toLines(result)) stdout(line)
}

export type ChainResult = {
  world: string
  seed: number
  /** After the history, like swaps, launches and revisions below; pools and revision are as at the end. */
  blocks: number
  swaps: number
  launches: number
  revisions: number
  height: number
  pools: number
  revision: number
  /** The world's time at the end. */
  time: string
  startMs: number
  blocksPerSecond: number | null
  swapsPerSecond: number | null
  eventsSha256: string
}

function mineWorld({ world: name, seed, blocks }: ChainOptions): ChainResult {
  const fixture = loadWorldFixture(name)
  const beforeStartMs = performance.now()
  const clock = createClock({ startMs: startMsOf(fixture) })
  const world = createWorld({ fixture, seed, random: createRandom(seed), clock, accounts: [] })
  const beforeMiningMs = performance.now()
  const counts = count(world, blocks)
  const seconds = (performance.now() - beforeMiningMs) / 1000
  return {
    world: name,
    seed,
    blocks,
    ...counts,
    height: world.views.head().height,
    pools: world.views.pools({ limit: 0, offset: 0 }).total,
    revision: world.views.protocolState().revision,
    time: new Date(clock.nowMs()).toISOString(),
    startMs: Math.round(beforeMiningMs - beforeStartMs),
    blocksPerSecond: rate(blocks, seconds),
    swapsPerSecond: rate(counts.swaps, seconds),
    eventsSha256: world.eventLogHash(),
  }
}

function count(world: World, blocks: number): { swaps: number; launches: number; revisions: number } {
  const before = { swaps: swapsOf(world), revision: world.chainRevision() }
  let launches = 0
  const unsubscribe = world.onBlock((update) => {
    launches += update.launches.length
  })
  world.mine(blocks)
  unsubscribe()
  return {
    swaps: swapsOf(world) - before.swaps,
    launches,
    revisions: world.chainRevision() - before.revision,
  }
}

function swapsOf(world: World): number {
  return world.views.swaps({ limit: 0, offset: 0 }).total
}

/** Null where nothing was mined: no rate can be told. */
function rate(events: number, seconds: number): number | null {
  return events > 0 && seconds > 0 ? Math.round(events / seconds) : null
}

function toLines(result: ChainResult): readonly string[] {
  const perSecond = (value: number | null) =>
    value === null ? '' : ` (${value.toLocaleString('en')} a second)`
  return [
    `world ${result.world}, seed ${result.seed}: started in ${result.startMs} ms, now at block ${result.height}, ${result.time}`,
    `blocks ${result.blocks}${perSecond(result.blocksPerSecond)}`,
    `swaps ${result.swaps}${perSecond(result.swapsPerSecond)}`,
    `pools ${result.pools}, ${result.launches} of them launched meanwhile`,
    `revision ${result.revision}, ${result.revisions} of them made meanwhile`,
    `events sha256 ${result.eventsSha256}`,
  ]
}
