import { type Conduct, RIGHT_CONDUCT } from '../../client/conduct.ts'
import { createCookieJar } from '../../client/header-credential.ts'
import type { Wallet } from '../../contract/profile.ts'
import { type FaultPlan, faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import type { DutyCounts } from '../../simulator/observer/findings.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'
import { type TestBed, testBed } from './test-bed.ts'
import type { WrongClient } from './wrong-clients.ts'

const MINUTE_MS = 60_000
/** With the rooms that belong to no pool, exceeds a connection's limit. */
const POOLS_OF_A_CROWD = 13

export type Scene = {
  stub?: Partial<StubOptions>
  /** Fault of a plan that is active from the start. */
  fault?: object
  run: (cast: Cast) => Promise<void>
}

type Cast = {
  bed: TestBed
  conduct: Conduct
  wallet: Wallet
  /** Restarts the fault plan, for faults that trigger at its start. */
  faultsBegin: () => Promise<unknown>
}

/** Scenes for correct and wrong clients. The observer judges failed requests. */
export const SCENES = {
  day: { run: spendDay },
  alternative: { stub: { choices: 'alternative' }, run: spendDay },
  crowd: { run: (cast) => spendDay(cast, { pools: POOLS_OF_A_CROWD }) },
  tabs: { run: openTabs },
  limited: { stub: { rateLimit: { burst: 10, perSecond: 1, per: 'credential' } }, run: requestOften },
  'limited-no-wait': {
    fault: {
      fault: 'http-429',
      where: { routes: ['GET /fee-tiers'] },
      limit: { mode: 'fixed' },
      when: { forMs: 10_000 },
    },
    run: requestSometimes,
  },
  failing: {
    fault: { fault: 'http-error', where: { routes: ['GET /fee-tiers'] }, when: { forMs: 90_000 } },
    run: requestSometimes,
  },
  pending: { run: waitForRevision },
  'unknown-controls': { fault: { fault: 'ws-unknown-control', everyMs: 20_000 }, run: spendDay },
  forbidden: {
    fault: { fault: 'http-error', where: { routes: ['GET /swaps'] }, status: 403 },
    run: requestRepeatedly,
  },
  'without-access': { stub: { choices: 'alternative' }, run: requestWithoutAccess },
} as const satisfies Record<string, Scene>

export type SceneName = keyof typeof SCENES

type Pool = { key: string; token0: string; token1: string }

/** Twenty minutes: trading, the feed through restarts, a reorganization and a new configuration, an expired session. */
async function spendDay(cast: Cast, { pools: followed } = { pools: 6 }): Promise<void> {
  const { bed, conduct, wallet, faultsBegin } = cast
  const { stub, time, control } = bed
  const client = bed.client({ as: { wallet }, conduct })
  const { exchange, quotes } = client
  await attempt(bed, client.signIn())
  // as: plain pool records
  const pools = ((await attempt(bed, exchange.list('/pools'))) ?? []) as Pool[]
  const [pool] = pools
  if (!pool) return
  await attempt(bed, exchange.get(conduct.poolPath(pool.key)))
  const amountIn = conduct.baseUnits('1,234.5', 6)
  await attempt(bed, quotes.fetch({ tokenIn: pool.token0, tokenOut: pool.token1, amountIn }))
  const reads = ['/fee-tiers', '/swaps', '/unclaimed'].map((path) => exchange.get(path))
  await attempt(bed, Promise.allSettled(reads))
  await attempt(bed, exchange.claimFromFaucet(wallet.address))

  client.follow(listRooms(pools.slice(0, followed), wallet))
  await time.pass(MINUTE_MS)
  await faultsBegin()
  await time.pass(MINUTE_MS)
  stub.world.changeConfig({ scope: 'fee_tiers', key: '3000' })
  await time.pass(MINUTE_MS)
  stub.world.reorg(2)
  await time.pass(MINUTE_MS)
  for (let restarts = 0; restarts < 10; restarts++) {
    await control('/gateway/restart', {})
    await time.pass(20_000)
  }
  await time.pass(14 * MINUTE_MS)
  for (let requested = 0; requested < 8; requested++) {
    await attempt(bed, exchange.get('/swaps'))
    await time.pass(1000)
  }
  await attempt(bed, client.stop())
}

function listRooms(pools: readonly Pool[], { address }: Wallet): string[] {
  const ofPools = pools.flatMap(({ key }) => [`trades:${key}`, `pool_stats:${key}`, `ohlcv:${key}`])
  return ['protocol_config', 'pool_launches', `balances:${address}`, ...ofPools]
}

/** Four tabs of one browser with an expired session send requests at once. One of them is always correct. */
async function openTabs({ bed, conduct, wallet }: Cast): Promise<void> {
  const jar = createCookieJar()
  const first = bed.client({ as: { wallet, jar } })
  const others = Array.from({ length: 3 }, () => bed.client({ as: { wallet, jar }, conduct }))
  await attempt(bed, first.signIn())
  for (let races = 0; races < 3; races++) {
    await bed.time.pass(16 * MINUTE_MS)
    await attempt(bed, Promise.allSettled([first, ...others].map(({ exchange }) => exchange.get('/swaps'))))
  }
  await bed.time.pass(MINUTE_MS)
  await attempt(bed, first.exchange.get('/swaps'))
}

async function requestOften({ bed, conduct, wallet }: Cast): Promise<void> {
  const { exchange, signIn } = bed.client({ as: { wallet }, conduct })
  await attempt(bed, signIn())
  for (let requested = 0; requested < 30; requested++) await attempt(bed, exchange.get('/fee-tiers'))
}

async function requestSometimes({ bed, conduct, wallet }: Cast): Promise<void> {
  const { exchange, signIn } = bed.client({ as: { wallet }, conduct })
  await attempt(bed, signIn())
  for (let requested = 0; requested < 3; requested++) {
    await attempt(bed, exchange.get('/fee-tiers'))
    await bed.time.pass(2 * MINUTE_MS)
  }
}

/** A revision is on the chain half a minute before it is indexed; a client may know it from its own transaction. */
async function waitForRevision({ bed, conduct, wallet }: Cast): Promise<void> {
  const { world } = bed.stub
  const { exchange, signIn } = bed.client({ as: { wallet }, conduct })
  await attempt(bed, signIn())
  world.holdIndexer()
  world.changeConfig({ scope: 'fee_tiers', key: '3000' })
  world.mine(1)
  const reached = exchange.revision(world.chainRevision()).catch(() => undefined)
  await bed.time.pass(MINUTE_MS / 2)
  world.releaseIndexer()
  await bed.time.until(reached)
  await bed.time.pass(MINUTE_MS)
}

async function requestWithoutAccess({ bed, conduct }: Cast): Promise<void> {
  const wallet = bed.stub.wallets.find(({ hasAccess }) => !hasAccess)
  if (!wallet) throw new Error('the stub has no wallet without access')
  await requestRepeatedly({ bed, conduct, wallet })
}

async function requestRepeatedly({ bed, conduct, wallet }: Omit<Cast, 'faultsBegin'>): Promise<void> {
  const { exchange, signIn } = bed.client({ as: { wallet }, conduct })
  await attempt(bed, signIn())
  for (let requested = 0; requested < 10; requested++) {
    await attempt(bed, exchange.get('/swaps'))
    await bed.time.pass(1000)
  }
  await bed.time.pass(MINUTE_MS)
}

function attempt<Value>({ time }: TestBed, promise: Promise<Value>): Promise<Value | undefined> {
  return time.until(promise).catch(() => undefined)
}

export type SceneResult = {
  findings: { rule: string; client: string; observed: string; evidence: unknown[] }[]
  duties: Record<string, DutyCounts>
  triggered: number
}

const FINDINGS_MAX = 1000

/** Runs a client through a scene, alone at its own stub, and returns the observer's findings. */
export async function runScene(
  name: SceneName,
  { piece = {}, plan }: { piece?: WrongClient['piece']; plan?: FaultPlan } = {},
): Promise<SceneResult> {
  const { stub = {}, fault, run }: Scene = SCENES[name]
  const faults =
    plan ?? (fault && faultPlanSchema.parse({ description: `For the scene ${name}`, faults: [fault] }))
  const bed = await testBed({ ...stub, ...(faults && { faults }) }, { userAgent: findClient(faults) })
  const [, wallet, other] = bed.stub.wallets
  const [apiToken] = bed.stub.apiTokens
  if (!wallet || !other || !apiToken) throw new Error('the stub has too few wallets')
  const given = { apiToken, stranger: bed.client({ as: { wallet: other } }), strangerAddress: other.address }
  const replaced = typeof piece === 'function' ? piece(given) : piece
  // as: the control API's response
  const triggerCounts = async () =>
    ((await bed.control('/faults')) as { faults: { triggered: number }[] }).faults.map(
      ({ triggered }) => triggered,
    )
  let before: number[] = []
  const faultsBegin = async () => {
    before = await triggerCounts()
    if (faults) await bed.control('/faults', faults)
  }
  await run({ bed, conduct: { ...RIGHT_CONDUCT, ...replaced }, wallet, faultsBegin })
  // as: the control API's response
  const judged = (await bed.control(`/findings?limit=${FINDINGS_MAX}`)) as Omit<SceneResult, 'triggered'>
  return { ...judged, triggered: sum([...before, ...(await triggerCounts())]) }
}

/** A plan may apply to one client only: use its name. */
export function findClient(plan: FaultPlan | undefined): string | undefined {
  return /"userAgents":\["([^"*]+)"/.exec(JSON.stringify(plan) ?? '')?.[1]
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
