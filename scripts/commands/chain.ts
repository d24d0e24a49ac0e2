import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Block } from '../../simulator/chain/block.ts'
import { createClock } from '../../simulator/clock.ts'
import { emptyBook, enterBlock } from '../../simulator/invariants/book.ts'
import { checkInvariants, INVARIANTS } from '../../simulator/invariants/invariants.ts'
import { createRandom } from '../../simulator/random.ts'
import { createWorld, loadWorld, type World, type WorldState } from '../../simulator/world/world.ts'
import { loadWorldFixture, parseStartMs } from '../../simulator/world-fixture.ts'
import { type ChainFileNames, type ChainFiles, createEventLog, openChainFiles } from '../chain/chain-files.ts'
import { addBlock, type ChainResult, chainTable, emptyTally, type Standing } from '../chain/tally.ts'
import { readDumpFile } from '../given-files.ts'
import { type Io, throwIfInterrupted } from '../io.ts'

export type ChainOptions = Omit<WorldSource, 'cwd'> &
  ChainFileNames & {
    io: Io
    /** Mined after the history of the world or the dump. */
    blocks: number
    /** Interval of invariant checks, in blocks. */
    check?: number
    json?: true
  }

/** Blocks between checks for Ctrl-C. */
const SLICE_BLOCKS = 50

/**
 * Throws a BreakwaterError: usage for an unknown or invalid world and for a bad file, failed if an invariant is violated, environment
 * if a file cannot be written, interrupted on Ctrl-C.
 */
export async function runChain(options: ChainOptions): Promise<void> {
  const { io } = options
  const files = await openChainFiles(options, io)
  try {
    const result = await mineWorld(options, files)
    if (options.json) io.document(JSON.stringify(result, null, 2))
    else for (const line of toLines(result)) io.stdout(line)
  } finally {
    files.discard()
  }
}

async function mineWorld(options: ChainOptions, files: ChainFiles): Promise<ChainResult> {
  const { io, blocks } = options
  const beforeStartMs = performance.now()
  const log = files.events && createEventLog(files.events)
  const check = options.check === undefined ? null : createInvariantCheck({ everyBlocks: options.check })
  let happened = emptyTally()
  const { world, seed } = openWorld({ ...options, cwd: io.cwd }, (block, state) => {
    addBlock(happened, block)
    log?.add(block)
    check?.add(block, state)
  })
  happened = emptyTally()
  const beforeMiningMs = performance.now()
  const start = { ...describeStanding(world), tookMs: Math.round(beforeMiningMs - beforeStartMs) }
  await mine(world, options)
  check?.finish()
  const seconds = (performance.now() - beforeMiningMs) / 1000

  log?.flush()
  const dumped = files.dump && world.dump()
  if (dumped) files.dump?.write(dumped)
  await setImmediate()
  throwIfInterrupted(io.interrupted, interruption(blocks, options))
  files.finish()
  const { events, dump, fromDump } = options
  return {
    world: fromDump === undefined ? options.world : null,
    loaded: fromDump ?? null,
    seed,
    start,
    ...describeStanding(world),
    pools: world.views.pools({ limit: 0, offset: 0 }).total,
    revision: world.chainRevision(),
    happened,
    blocksPerSecond: rate(blocks, seconds),
    swapsPerSecond: rate(happened.swaps.total, seconds),
    invariants: check?.result() ?? null,
    events: events === undefined || !log ? null : { file: events, lines: log.count() },
    dump: dump === undefined || !dumped ? null : { file: dump, bytes: dumped.length },
    eventsSha256: world.eventLogHash(),
  }
}

async function mine(world: World, options: ChainOptions): Promise<void> {
  const { io, blocks } = options
  try {
    for (let mined = 0; mined < blocks; mined += SLICE_BLOCKS) {
      await setImmediate()
      throwIfInterrupted(io.interrupted, interruption(mined, options))
      io.status([`mining: ${mined} of ${blocks} blocks`])
      world.mine(Math.min(SLICE_BLOCKS, blocks - mined))
    }
  } finally {
    io.status(null)
  }
}

function interruption(mined: number, { blocks, events, dump }: ChainOptions): string {
  const files = events === undefined && dump === undefined ? '' : '; no file was written'
  return `interrupted after ${mined} of ${blocks} blocks${files}`
}

function describeStanding(world: World): Standing {
  return { height: world.state().chain.height, time: new Date(world.clock.nowMs()).toISOString() }
}

/** Null if nothing was mined. */
function rate(count: number, seconds: number): number | null {
  return count > 0 && seconds > 0 ? Math.round(count / seconds) : null
}

function toLines(result: ChainResult): readonly string[] {
  const { happened, blocksPerSecond, start, height, time, invariants, events, dump } = result
  const from = result.loaded === null ? `world ${result.world}` : `world loaded from ${result.loaded}`
  const mined = `mined ${shown(happened.blocks)} ${happened.blocks === 1 ? 'block' : 'blocks'}, ${shown(blocksPerSecond ?? 0)}/s, to block ${height}, ${time}`
  return [
    `${from}, seed ${result.seed}: started in ${start.tookMs} ms at block ${start.height}, ${start.time}`,
    ...(happened.blocks === 0 ? [] : [mined, '', ...chainTable(result), '']),
    ...(invariants
      ? [`${invariants.invariants} invariants hold, checked ${shown(invariants.blocksChecked)} times`]
      : []),
    ...(events ? [`wrote ${events.file}: ${shown(events.lines)} lines`] : []),
    ...(dump ? [`wrote ${dump.file}: ${shown(dump.bytes)} bytes`] : []),
    `events sha256 ${result.eventsSha256}`,
  ]
}

function shown(count: number): string {
  return count.toLocaleString('en')
}

type WorldSource = {
  cwd: string
  world: string
  seed: number
  /** Dump file, instead of world and seed. */
  fromDump?: string
}

/**
 * Opens a world with its history, or a dump. `onMined` also gets the blocks of the history. Throws a BreakwaterError (usage) for an
 * unknown or invalid world, and for a file that is not a dump.
 */
export function openWorld(
  { cwd, world: name, seed, fromDump }: WorldSource,
  onMined: (block: Block, state: WorldState) => void,
): { world: World; seed: number } {
  if (fromDump !== undefined) {
    const { world, origin } = loadWorld({
      dump: readDumpFile(resolve(cwd, fromDump), fromDump),
      source: fromDump,
      onMined,
    })
    return { world, seed: origin.seed }
  }
  const fixture = loadWorldFixture(name)
  const clock = createClock({ startMs: parseStartMs(fixture) })
  const world = createWorld({ fixture, seed, random: createRandom(seed), clock, accounts: [], onMined })
  return { world, seed }
}

type InvariantCheck = {
  /** Call with every block from the first, once it is indexed. Throws a BreakwaterError (failed). */
  add(block: Block, state: WorldState): void
  /** Checks the last block. Throws like add. */
  finish(): void
  result(): { invariants: number; blocksChecked: number }
}

const LINES_MAX = 10

export function createInvariantCheck({ everyBlocks }: { everyBlocks: number }): InvariantCheck {
  const book = emptyBook()
  let latest: WorldState | undefined
  let checkedHeight = -1
  let blocksChecked = 0

  const check = ({ chain, index }: WorldState): void => {
    checkedHeight = chain.height
    blocksChecked++
    const violations = checkInvariants({ chain, index, book })
    if (violations.length > 0) throw violated(chain.height, violations)
  }
  return {
    add(block, state) {
      enterBlock(book, block)
      latest = state
      if (block.height % everyBlocks === 0) check(state)
    },
    finish() {
      if (latest && checkedHeight < latest.chain.height) check(latest)
    },
    result: () => ({ invariants: Object.keys(INVARIANTS).length, blocksChecked }),
  }
}

function violated(height: number, violations: readonly string[]): BreakwaterError {
  const shown = violations.slice(0, LINES_MAX).map((line) => `\n  ${line}`)
  const more = violations.length - shown.length
  return new BreakwaterError(
    `after block ${height}, an invariant is violated:${shown.join('')}${more > 0 ? `\n  and ${more} more` : ''}`,
    { hint: 'This is a bug in the simulator. World, seed and block reproduce it.', exitCode: EXIT.failed },
  )
}
