/**
 * Test helper: a gateway with a real listener and a manual clock over the indexed world of the exchange's tests. Tests
 * emit the updates.
 */
import { EventEmitter, once } from 'node:events'
import { onTestFinished } from 'vitest'
import { createActivityJournal } from '../activity-journal.ts'
import { createAuth } from '../auth/auth.ts'
import { demoWallets } from '../auth/wallets.ts'
import type { Choices } from '../choices/choices.ts'
import { defaultChoices } from '../choices/default-choices.ts'
import { createClock } from '../clock.ts'
import { createTestWorld } from '../exchange/test-world.ts'
import type { FaultyWorld } from '../faults/fault-kind.ts'
import { faultPlanSchema } from '../faults/fault-plan.ts'
import { createFaults, createHooks } from '../faults/faults.ts'
import { HTTP_BOUNDS, type HttpBounds } from '../http/listener.ts'
import type { PoolView } from '../indexer/views/market-views.ts'
import type { BlockUpdate } from '../indexer/views/views.ts'
import { deviateFeed } from '../mutants/deviate-feed.ts'
import { type Deviation, deviateAuth } from '../mutants/deviation.ts'
import { findDeviation, type MutantName } from '../mutants/mutants.ts'
import { createRandom } from '../random.ts'
import { STATED_LIMITS } from '../stub-options.ts'
import { createGateway } from './gateway.ts'
import { connectFeed, type FeedClient, type Message } from './test-client.ts'

/** Shared by all beds; its blocks do not change. */
const standing = createTestWorld()

type BedOptions = {
  nodes?: number
  socketsMax?: number
  fanOutRate?: number
  mutant?: MutantName | null
  deviation?: Deviation
  choices?: Choices
  http?: HttpBounds
}

export async function createTestBed(options: BedOptions = {}) {
  const { mutant = null, choices = defaultChoices, http = HTTP_BOUNDS } = options
  const { deviation = findDeviation(mutant) } = options
  const limits = { ...STATED_LIMITS, ...deviation?.limits }
  const { views } = standing
  const clock = createClock({ startMs: standing.clock.nowMs() })
  const random = createRandom(1)
  const [alice, bob, stranger] = demoWallets({ random, count: 3 })
  if (!alice || !bob || !stranger) throw new Error('expected three wallets')
  const wallets = [alice, bob, stranger]
  const auth = deviateAuth(createAuth({ clock, random, wallets, choices, limits }), deviation, {
    clock,
    choices,
    wallets,
  })
  const listeners = new Set<(update: BlockUpdate) => void>()
  const world = {
    views,
    onBlock(listener: (update: BlockUpdate) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const log = new EventEmitter()
  let beat = () => {}
  const journal = createActivityJournal({ clock })
  const active = createHooks()
  const gateway = createGateway({
    world,
    auth,
    clock,
    choices,
    limits,
    wiring: deviateFeed(deviation, { choices, clock }),
    ...(options.nodes !== undefined && { nodes: options.nodes }),
    ...(options.fanOutRate !== undefined && { fanOutRate: options.fanOutRate }),
    ...(options.socketsMax !== undefined && { socketsMax: options.socketsMax }),
    faults: active,
    record: journal.record,
    log: (line) => log.emit(line),
    http,
    every(_ms, fn) {
      beat = fn
      return () => {}
    },
  })
  const faults = createFaults({
    clock,
    world: {} as FaultyWorld, // as: feed faults do not use it
    active,
    feed: gateway.faulty,
    record: journal.record,
  })
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => gateway.close())

  const tokenIds = new Map<string, string>()
  const getTokenId = (address: string): string => {
    const known = tokenIds.get(address)
    if (known !== undefined) return known
    const created = auth.apiTokens.create({ address, name: 'test', expiresInDays: null })
    if (!created) throw new Error('no more API tokens')
    tokenIds.set(address, created.info.id)
    return created.info.id
  }
  const issueTicket = ({ address }: { address: string }): string =>
    auth.issueTicket({ kind: 'api-token', id: getTokenId(address), address }).ticket
  const connect = (options?: { userAgent?: string }): Promise<FeedClient> =>
    connectFeed(`ws://127.0.0.1:${port}/ws`, options)
  /** A socket authenticated by alice, unless a wallet is given. */
  const signIn = async (wallet: { address: string } = alice): Promise<FeedClient> => {
    const client = await connect()
    client.send({ action: 'authenticate', token: issueTicket(wallet) })
    await client.next('authenticated')
    return client
  }

  const join = async (room: string, wallet?: { address: string }): Promise<FeedClient> => {
    const client = await signIn(wallet)
    client.send({ action: 'subscribe', room })
    await client.synchronize()
    return client
  }

  return {
    auth,
    clock,
    faults,
    inject: (...planned: object[]) =>
      faults.apply(faultPlanSchema.parse({ description: 'of a test', faults: planned })),
    /** Decisions of the faults; an exclamation mark means that the fault was triggered. */
    decisions: () =>
      journal
        .read({ after: 0, limit: 10_000 })
        .entries.flatMap((entry) =>
          entry.kind === 'fault' ? [`${entry.on}${entry.triggered ? '!' : ''}`] : [],
        ),
    /** Controls sent, from the journal. */
    sentControls: () =>
      journal
        .read({ after: 0, limit: 10_000 })
        .entries.flatMap((entry) => ('control' in entry ? [entry.control] : [])),
    gateway,
    port,
    /** Triggers the ping interval. */
    beat: () => beat(),
    logged: (line: string) => once(log, line),
    pools: views.pools({ limit: 40, offset: 0 }).rows,
    wallets: { alice, bob },
    issueTicket,
    connect,
    signIn,
    join,
    listenerCount: () => listeners.size,
    emit(update: Partial<BlockUpdate>) {
      for (const listener of listeners) listener({ ...EMPTY_BLOCK, ...update })
    },
  }
}

/** Short form of messages: `PoolLaunch 3`, `synchronized`. */
export const summarize = (messages: readonly Message[]): string[] =>
  messages.map(({ type, control, data }) => control ?? `${type} ${data?.id}`)

export const statsRoom = ({ key }: PoolView) => `pool_stats:${key}`

const EMPTY_BLOCK: BlockUpdate = {
  block: { height: 8, hash: 'h8', timeMs: Date.UTC(2025, 0, 1) },
  launches: [],
  poolStats: [],
  trades: [],
  candles: [],
  balanceChanges: [],
  config: null,
  reorged: 0,
}
