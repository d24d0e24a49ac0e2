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
const revision = z.int().describe('Revision of the chain’s configuration')

const miningSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('interval'), intervalMs: within('intervalMs') }),
  z.strictObject({ mode: z.literal('on-demand') }),
  z.strictObject({ mode: z.literal('paused') }),
])

const lagSchema = z.union([
  z.strictObject({ blocks: within('lagBlocks') }),
  z.strictObject({ ms: within('lagMs') }),
])

/** The reference is generated from this table. */
export const RESOURCES: readonly Resource[] = [
  resource({
    method: 'GET',
    path: '/status',
    summary: 'The state of the world.',
    input: NOTHING,
    output: z.strictObject({
      nowMs,
      block,
      revision,
      indexedRevision: z.int().describe('The revision that clients see'),
      eventLogHash: z.string().describe('sha256, in hex, over all blocks so far'),
      mining: miningSchema,
      lag: lagSchema.describe('The indexer’s lag'),
      sockets: z.int().describe('Number of open sockets'),
    }),
    respond: ({ world, gateway, clock }) => ({
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
    summary: 'Advances the clock by up to 30 days; mines due blocks and runs due timers.',
    input: z.strictObject({
      ms: z
        .int()
        .min(0)
        .max(30 * DAY_MS),
    }),
    output: z.strictObject({ nowMs }),
    async respond({ clock }, { ms }) {
      await advanceInSlices(clock, ms)
      return { nowMs: clock.nowMs() }
    },
  }),
  resource({
    method: 'POST',
    path: '/mine',
    summary: 'Mines blocks now, advancing the clock by the block interval for each.',
    input: z.strictObject({ blocks: z.int().min(1).max(1000) }),
    output: z.strictObject({ block }),
    respond({ world }, { blocks }) {
      world.mine(blocks)
      return { block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/revision',
    summary: 'Changes the configuration and mines the block with the change, which raises the revision.',
    input: z.strictObject({
      scope: z.enum(['fee_tiers', 'pause', 'allowlist', 'pool_creation', 'protocol_fee']),
      key: z.string().min(1).max(512).describe('Pools and tokens are spelled as in the REST interface'),
    }),
    output: z.strictObject({ revision }),
    respond({ world }, change) {
      world.changeConfig(change)
      if (world.mining().mode !== 'on-demand') world.mine(1)
      return { revision: world.chainRevision() }
    },
  }),
  resource({
    method: 'POST',
    path: '/mining',
    summary:
      'Sets when blocks are mined: every `intervalMs` of the clock, from now on (`interval`), one for each transaction immediately (`on-demand`), or never (`paused`).',
    input: miningSchema,
    output: z.strictObject({ mining: miningSchema }),
    respond({ world }, mining) {
      world.setMining(mining)
      return { mining: world.mining() }
    },
  }),
  resource({
    method: 'POST',
    path: '/reorg',
    summary:
      'Removes the last 1 to 64 blocks and mines replacements from the same transactions: some come later, some of the agents’ are dropped.',
    input: z.strictObject({ depth: within('depth') }),
    output: z.strictObject({ block }),
    errors: ['reorg_too_deep'],
    respond({ world }, { depth }) {
      world.reorg(depth)
      return { block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/snapshot',
    summary:
      'Saves the whole world: chain, history, clock, random streams, sessions, tokens and limits. At most 32 snapshots are kept.',
    input: NOTHING,
    output: z.strictObject({ snapshot }),
    errors: ['snapshots_full'],
    respond: ({ world }) => ({ snapshot: world.snapshot() }),
  }),
  resource({
    method: 'POST',
    path: '/snapshot/drop',
    summary: 'Deletes a snapshot.',
    input: z.strictObject({ snapshot }),
    output: NOTHING,
    errors: ['snapshot_unknown'],
    respond({ world }, { snapshot: name }) {
      world.dropSnapshot(name)
      return {}
    },
  }),
  resource({
    method: 'POST',
    path: '/revert',
    summary:
      'Reverts to a snapshot, which is kept; later ones are dropped. Sockets stay open and receive a request to resync.',
    input: z.strictObject({ snapshot }),
    output: z.strictObject({ nowMs, block }),
    errors: ['snapshot_unknown'],
    respond({ world, clock }, { snapshot: name }) {
      world.revert(name)
      return { nowMs: clock.nowMs(), block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/reset',
    summary:
      'Resets everything to the state after startup, sign-ins and limits included; drops snapshots, closes sockets with 1012, and activates the faults of the startup. Rebuilds the world, which takes as long as starting. The journal is kept.',
    input: NOTHING,
    output: z.strictObject({ nowMs, block }),
    respond({ world, clock, gateway, reset }) {
      reset()
      gateway.restart()
      return { nowMs: clock.nowMs(), block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/lag',
    summary:
      'Sets the indexer’s lag, either in `blocks` or in `ms`: a block is indexed when the chain’s head is that many blocks ahead of it, or when that much time has passed. At the start, there is no lag.',
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
    respond({ world }, lag) {
      world.setLag(lag)
      return { lag: world.lag(), block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/indexer/hold',
    summary: 'Stops indexing while mining continues: client reads do not change, and events wait.',
    input: NOTHING,
    output: z.strictObject({ block }),
    respond({ world }) {
      world.holdIndexer()
      return { block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/indexer/release',
    summary: 'Indexes the waiting blocks in order.',
    input: NOTHING,
    output: z.strictObject({ block }),
    respond({ world }) {
      world.releaseIndexer()
      return { block: world.views.head().height }
    },
  }),
  ...SOCKET_RESOURCES,
  resource({
    method: 'GET',
    path: '/journal',
    summary: `The journal, oldest first: each request to the REST interface, each change by this API, and each socket’s lifecycle. The last ${JOURNAL_ENTRIES_MAX.toLocaleString('en')} entries are kept. To follow it, pass the last number read as \`after\`.`,
    input: pageSchema.extend({
      kind: kindSchema.optional().describe('Only entries of this kind; default: all'),
    }),
    output: z.strictObject({
      entries: z.array(entrySchema).describe(ENTRY_KINDS),
      last: z.int().describe('Number of the newest entry; 0 if there are no entries'),
      refused: z
        .int()
        .describe('Requests to this API without its token, or for another host: they have no entries'),
    }),
    respond({ journal }, page) {
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
 * Advances the clock by `ms`, and yields to the event loop after each moment with due timers: an advance by hours mines thousands
 * of blocks while the process has requests to serve. Stops if another task sets the clock back.
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
