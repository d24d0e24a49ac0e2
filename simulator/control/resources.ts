import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { World } from '../world.ts'
import { BOUNDS } from '../world-bounds.ts'
import type { Lag } from '../world-state.ts'
import { advanceInSlices } from './advance-in-slices.ts'

/** What the control API acts on. */
export type Controlled = {
  world: Pick<
    World,
    | 'views'
    | 'mine'
    | 'changeConfig'
    | 'holdIndexer'
    | 'releaseIndexer'
    | 'chainRevision'
    | 'eventLogHash'
    | 'snapshot'
    | 'revert'
    | 'dropSnapshot'
    | 'reorg'
    | 'mining'
    | 'setMining'
    | 'lag'
    | 'setLag'
  >
  gateway: Pick<Gateway, 'sockets' | 'restart'>
  clock: Clock
}

export type Resource = {
  method: 'GET' | 'POST'
  path: string
  summary: string
  /** Of the request; no body counts as an empty object. */
  body: z.ZodType
  /** Throws ZodError where the body does not fit. */
  answer(controlled: Controlled, body: unknown): object | Promise<object>
}

const DAY_MS = 24 * 60 * 60 * 1000
const NOTHING = z.strictObject({})

/** Every resource: the reference is generated from this table. */
export const RESOURCES: readonly Resource[] = [
  resource({
    method: 'GET',
    path: '/status',
    summary:
      'The virtual time, the last indexed block, the revision of the chain and that indexed, the sha256 over all blocks so far, how blocks are mined, how far the indexer lags, and open sockets.',
    body: NOTHING,
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
    body: z.strictObject({
      ms: z
        .int()
        .min(0)
        .max(30 * DAY_MS),
    }),
    async answer({ clock }, { ms }) {
      await advanceInSlices(clock, ms)
      return { nowMs: clock.nowMs() }
    },
  }),
  resource({
    method: 'POST',
    path: '/mine',
    summary:
      'Mines 1 to 1,000 blocks now, moving the clock on by the block interval for each. Returns the last indexed.',
    body: z.strictObject({ blocks: z.int().min(1).max(1000) }),
    answer({ world }, { blocks }) {
      world.mine(blocks)
      return { block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/revision',
    summary:
      'Changes the configuration and mines the block that holds the change. Returns the revision of the chain.',
    body: z.strictObject({
      scope: z.enum(['fee_tiers', 'pause', 'allowlist', 'pool_creation', 'protocol_fee']),
      key: z.string().min(1).max(512),
    }),
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
    body: z.discriminatedUnion('mode', [
      z.strictObject({ mode: z.literal('interval'), intervalMs: within('intervalMs') }),
      z.strictObject({ mode: z.literal('on-demand') }),
      z.strictObject({ mode: z.literal('paused') }),
    ]),
    answer({ world }, mining) {
      world.setMining(mining)
      return { mining: world.mining() }
    },
  }),
  resource({
    method: 'POST',
    path: '/reorg',
    summary:
      'Takes the last 1 to 64 blocks back and mines others in their place, from the same transactions: some come later, some of the agents’ not at all. Returns the last indexed block.',
    body: z.strictObject({ depth: within('depth') }),
    answer({ world }, { depth }) {
      world.reorg(depth)
      return { block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/snapshot',
    summary:
      'Keeps all of the world as it is: chain, history, clock, random streams, sessions, tokens and limits. Returns a name for it; 32 are kept at most.',
    body: NOTHING,
    answer: ({ world }) => ({ snapshot: world.snapshot() }),
  }),
  resource({
    method: 'POST',
    path: '/snapshot/drop',
    summary: 'Forgets a snapshot.',
    body: z.strictObject({ snapshot: z.string() }),
    answer({ world }, { snapshot }) {
      world.dropSnapshot(snapshot)
      return {}
    },
  }),
  resource({
    method: 'POST',
    path: '/revert',
    summary:
      'Goes back to a snapshot, which is kept; those taken after it are dropped. Sockets stay open, and are told to resync.',
    body: z.strictObject({ snapshot: z.string() }),
    answer({ world, clock }, { snapshot }) {
      world.revert(snapshot)
      return { nowMs: clock.nowMs(), block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/lag',
    summary:
      'How far the indexer is behind: a block is indexed once the chain’s head is so many `blocks`, or the clock so many `ms`, further. None at first.',
    body: z
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
    answer({ world }, lag) {
      world.setLag(lag)
      return { lag: world.lag(), block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/indexer/hold',
    summary: 'Blocks are mined but not indexed any more: what clients read stands still, and events wait.',
    body: NOTHING,
    answer({ world }) {
      world.holdIndexer()
      return { block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/indexer/release',
    summary: 'Indexes the blocks that waited, in order. Returns the last.',
    body: NOTHING,
    answer({ world }) {
      world.releaseIndexer()
      return { block: world.views.head().height }
    },
  }),
  resource({
    method: 'POST',
    path: '/gateway/restart',
    summary: 'Closes every socket with 1012, as a deployment does. Returns how many.',
    body: NOTHING,
    answer: ({ gateway }) => ({ closed: gateway.restart() }),
  }),
  resource({
    method: 'GET',
    path: '/sockets',
    summary: 'The open sockets: number, wallet, rooms held, events dropped because the peer did not keep up.',
    body: NOTHING,
    answer: ({ gateway }) => ({ sockets: gateway.sockets() }),
  }),
]

function within(name: keyof typeof BOUNDS): z.ZodInt {
  const { min, max } = BOUNDS[name]
  return z.int().min(min).max(max)
}

/** Ties the type of the answer's body to its schema. */
function resource<Body extends z.ZodType>(
  options: Omit<Resource, 'body' | 'answer'> & {
    body: Body
    answer(controlled: Controlled, body: z.output<Body>): object | Promise<object>
  },
): Resource {
  const { body, answer } = options
  return { ...options, answer: (controlled, given) => answer(controlled, body.parse(given ?? {})) }
}
