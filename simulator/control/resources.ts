import { z } from 'zod'
import { JOURNAL_ENTRIES_MAX } from '../activity-journal.ts'
import type { Clock } from '../clock.ts'
import { BOUNDS, type Lag } from '../world/world-state.ts'
import { CHAIN_RESOURCES } from './chain-resources.ts'
import { FAULT_RESOURCES, SOCKET_RESOURCES } from './fault-resources.ts'
import { ENTRY_KINDS, entrySchema, FINDING_RESOURCES, kindSchema, pageSchema } from './finding-resources.ts'
import { type Resource, resource } from './resource.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOTHING = z.strictObject({})

const nowMs = z.int().describe('The virtual time, in milliseconds since 1970-01-01T00:00:00Z')
const block = z.int().describe('Height of the last indexed block')
const snapshot = z.string().describe('The name of a snapshot')
const revision = z.int().describe('Of the chain’s configuration')

const miningSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('interval'), intervalMs: within('intervalMs') }),
  z.strictObject({ mode: z.literal('on-demand') }),
  z.strictObject({ mode: z.literal('paused') }),
])

const lagSchema = z.union([
  z.strictObject({ blocks: within('lagBlocks') }),
  z.strictObject({ ms: within('lagMs') }),
])

/** Every resource: the reference is generated from this table. */
export const RESOURCES: readonly Resource[] = [
  resource({
    method: 'GET',
    path: '/status',
    summary: 'How the world stands.',
    input: NOTHING,
    output: z.strictObject({
      nowMs,
      block,
      revision,
      indexedRevision: z.int().describe('As far as clients see it'),
      eventLogHash: z.string().describe('sha256, in hex, over all blocks so far'),
      mining: miningSchema,
      lag: lagSchema.describe('How far the indexer lags'),
      sockets: z.int().describe('How many are open'),
    }),
    answer: ({ world, gateway, clock }) => ({
      nowMs: clock.nowMs(),
      block: world.views.head().height,
      revision: world.chainRevision(),
      indexedRevision: world.views.protocolState().revision,
      eventLogHash: world.eventLogHash(),
      mining: world.mining(),
      lag: world.lag(),
      sockets: gateway.sockets().length,
    }),
  }),
  resource({
    method: 'POST',
    path: '/clock/advance',
    summary: 'Moves the clock on, by 30 days at most; blocks are mined and timers run as they fall due.',
    input: z.strictObject({
      ms: z
        .int()
        .min(0)
        .max(30 * DAY_MS),
    }),
    output: z.strictObject({ nowMs }),
    async answer({ clock }, { ms }) {
      await advanceInSlices(clock, ms)
      return { nowMs: clock.nowMs() }
    },
  }),
  resource({
    method: 'POST',
    path: '/mine',
    summary: 'Mines blocks now, moving the clock on by the block interval for each.',
    input: z.strictObject({ blocks: z.int().min(1).max(1000) }),
    output: z.strictObject({ block }),
    answer({ world }, { blocks }) {
      world.mine(blocks)
      return { block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/revision',
    summary:
      'Changes the configuration and mines the block that holds the change, which raises the revision.',
    input: z.strictObject({
      scope: z.enum(['fee_tiers', 'pause', 'allowlist', 'pool_creation', 'protocol_fee']),
      key: z.string().min(1).max(512),
    }),
    output: z.strictObject({ revision }),
    answer({ world }, change) {
      world.changeConfig(change)
      if (world.mining().mode !== 'on-demand') world.mine(1)
      return { revision: world.chainRevision() }
    },
  }),
  resource({
    method: 'POST',
    path: '/mining',
    summary:
      'When blocks come of themselves: each `intervalMs` of the clock, from now on (`interval`), one for each transaction at once (`on-demand`), or never (`paused`).',
    input: miningSchema,
    output: z.strictObject({ mining: miningSchema }),
    answer({ world }, mining) {
      world.setMining(mining)
      return { mining: world.mining() }
    },
  }),
  resource({
    method: 'POST',
    path: '/reorg',
    summary:
      'Takes the last 1 to 64 blocks back and mines others in their place, from the same transactions: some come later, some of the agents’ not at all.',
    input: z.strictObject({ depth: within('depth') }),
    output: z.strictObject({ block }),
    errors: ['reorg_too_deep'],
    answer({ world }, { depth }) {
      world.reorg(depth)
      return { block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/snapshot',
    summary:
      'Keeps all of the world as it is: chain, history, clock, random streams, sessions, tokens and limits. 32 snapshots are kept at most.',
    input: NOTHING,
    output: z.strictObject({ snapshot }),
    errors: ['snapshots_full'],
    answer: ({ world }) => ({ snapshot: world.snapshot() }),
  }),
  resource({
    method: 'POST',
    path: '/snapshot/drop',
    summary: 'Forgets a snapshot.',
    input: z.strictObject({ snapshot }),
    output: NOTHING,
    errors: ['snapshot_unknown'],
    answer({ world }, { snapshot: name }) {
      world.dropSnapshot(name)
      return {}
    },
  }),
  resource({
    method: 'POST',
    path: '/revert',
    summary:
      'Goes back to a snapshot, which is kept; those taken after it are dropped. Sockets stay open, and are told to resync.',
    input: z.strictObject({ snapshot }),
    output: z.strictObject({ nowMs, block }),
    errors: ['snapshot_unknown'],
    answer({ world, clock }, { snapshot: name }) {
      world.revert(name)
      return { nowMs: clock.nowMs(), block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/reset',
    summary:
      'Goes back to how everything was when the stub had started, sign-ins and limits included; snapshots are dropped, sockets closed with 1012, and the faults are those that it started with. The world is made anew, which takes as long as it took to start. The journal stays.',
    input: NOTHING,
    output: z.strictObject({ nowMs, block }),
    answer({ world, clock, gateway, reset }) {
      reset()
      gateway.restart()
      return { nowMs: clock.nowMs(), block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/lag',
    summary:
      'How far the indexer is behind: a block is indexed once the chain’s head is so many `blocks`, or the clock so many `ms`, further; one of the two. None at first.',
    input: z
      .strictObject({
        blocks: within('lagBlocks').optional(),
        ms: within('lagMs').optional(),
      })
      .transform(({ blocks, ms }, { addIssue }): Lag => {
        if (blocks !== undefined && ms === undefined) return { blocks }
        if (ms !== undefined && blocks === undefined) return { ms }
        addIssue('expected either blocks or ms')
        return z.NEVER
      }),
    output: z.strictObject({ lag: lagSchema, block }),
    answer({ world }, lag) {
      world.setLag(lag)
      return { lag: world.lag(), block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/indexer/hold',
    summary: 'Blocks are mined but not indexed any more: what clients read stands still, and events wait.',
    input: NOTHING,
    output: z.strictObject({ block }),
    answer({ world }) {
      world.holdIndexer()
      return { block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/indexer/release',
    summary: 'Indexes the blocks that waited, in order.',
    input: NOTHING,
    output: z.strictObject({ block }),
    answer({ world }) {
      world.releaseIndexer()
      return { block: world.views.head().height }
    },
  }),
  ...SOCKET_RESOURCES,
  resource({
    method: 'GET',
    path: '/journal',
    summary: `What happened, oldest first: each request to the REST interface, each change by this API, and what each socket of the feed goes through. The last ${JOURNAL_ENTRIES_MAX.toLocaleString('en')} entries are kept. To follow it, ask for what comes after the last number that was read.`,
    input: pageSchema.extend({
      kind: kindSchema.optional().describe('Entries of this kind alone; all where it is left out'),
    }),
    output: z.strictObject({
      entries: z.array(entrySchema).describe(ENTRY_KINDS),
      last: z.int().describe('The number of the newest entry of all; 0 where there is none'),
      refused: z
        .int()
        .describe('Requests to this API without its token, or for another host: they have no entries'),
    }),
    answer({ journal }, page) {
      const { entries, last } = journal.read(page)
      return { entries: [...entries], last, refused: journal.refused() }
    },
  }),
  ...CHAIN_RESOURCES,
  ...FAULT_RESOURCES,
  ...FINDING_RESOURCES,
]

function within(name: keyof typeof BOUNDS): z.ZodInt {
  const { min, max } = BOUNDS[name]
  return z.int().min(min).max(max)
}

/**
 * Moves the clock on by `ms`, and lets whatever else waits have its turn after each moment at which timers fall due: a
 * leap over hours mines thousands of blocks, and the process has requests to answer meanwhile. Where one of them puts
 * the clock back, the leap ends.
 */
export async function advanceInSlices(
  clock: Pick<Clock, 'advance' | 'nowMs' | 'nextAtMs'>,
  ms: number,
): Promise<void> {
  for (let left = ms; left > 0; ) {
    const untilDueMs = Math.max(0, (clock.nextAtMs() ?? Number.POSITIVE_INFINITY) - clock.nowMs())
    const sliceMs = Math.min(left, untilDueMs)
    const untilMs = clock.nowMs() + sliceMs
    clock.advance(sliceMs)
    left -= sliceMs
    await new Promise((next) => setImmediate(next))
    if (clock.nowMs() < untilMs) return
  }
}
