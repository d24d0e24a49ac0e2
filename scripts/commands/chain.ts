import { setImmediate } from 'node:timers/promises'
import { createClock } from '../../simulator/clock.ts'
import { countAppended } from '../../simulator/indexer/history-log.ts'
import { createRandom } from '../../simulator/random.ts'
import { createWorld, type World } from '../../simulator/world.ts'
import { loadWorldFixture, startMsOf } from '../../simulator/world-fixture.ts'
import { throwIfInterrupted } from '../interrupted.ts'

export type ChainOptions = {
  world: string
  /** Blocks to mine after the world's history. */
  blocks: number
  seed: number
  json: boolean
  stdout: (line: string) => void
  interrupted: AbortSignal
}

/** Mined without a look at what else happens, such as Ctrl-C. */
const SLICE_BLOCKS = 50

/**
 * `breakwater chain`: the chain alone, without exchange or load. Throws a BreakwaterError: usage for an unknown or wrong world,
 * interrupted where the user asks for the end.
 */
export async function runChain(options: ChainOptions): Promise<void> {
  const { stdout } = options
  const result = await mineWorld(options)
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

async function mineWorld({ world: name, seed, blocks, interrupted }: ChainOptions): Promise<ChainResult> {
  const fixture = loadWorldFixture(name)
  const beforeStartMs = performance.now()
  const clock = createClock({ startMs: startMsOf(fixture) })
  const world = createWorld({ fixture, seed, random: createRandom(seed), clock, accounts: [] })
  const beforeMiningMs = performance.now()
  const counts = await count(world, { blocks, interrupted })
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

async function count(
  world: World,
  options: Pick<ChainOptions, 'blocks' | 'interrupted'>,
): Promise<{ swaps: number; launches: number; revisions: number }> {
  const before = { swaps: swapsOf(world), revision: world.chainRevision() }
  let launches = 0
  const unsubscribe = world.onBlock((update) => {
    launches += update.launches.length
  })
  await mine(world, options)
  unsubscribe()
  return {
    swaps: swapsOf(world) - before.swaps,
    launches,
    revisions: world.chainRevision() - before.revision,
  }
}

async function mine(
  world: World,
  { blocks, interrupted }: Pick<ChainOptions, 'blocks' | 'interrupted'>,
): Promise<void> {
  for (let mined = 0; mined < blocks; mined += SLICE_BLOCKS) {
    await setImmediate()
    throwIfInterrupted(interrupted, `interrupted after ${mined} of ${blocks} blocks`)
    world.mine(Math.min(SLICE_BLOCKS, blocks - mined))
  }
}

/** All so far: the views count those that are kept. */
function swapsOf(world: World): number {
  return countAppended(world.state().index.swaps)
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
