import type { Wallet } from '../../../contract/profile.ts'
import type { StubOptions } from '../../../simulator/stub.ts'
import type { Conduct } from './conduct.ts'
import { createCookieJar } from './cookie-jar.ts'
import type { TestBed } from './test-bed.ts'

const MINUTE_MS = 60_000
const POOLS_FOLLOWED = 13

export type Scene = {
  stub?: Partial<StubOptions>
  play: (scene: { bed: TestBed; conduct: Conduct; wallet: Wallet }) => Promise<void>
}

/** What clients go through, right ones as wrong ones: what fails in it is for the observer to judge. */
export const SCENES = {
  day: { play: spendDay },
  odd: { stub: { choices: 'odd' }, play: spendDay },
  tabs: { play: openTwoTabs },
  limited: { stub: { rateLimit: { burst: 10, perSecond: 1, per: 'credential' } }, play: askMuch },
  failing: { play: askMuch },
  'without-access': { stub: { choices: 'odd' }, play: askWithoutAccess },
} as const satisfies Record<string, Scene>

export type SceneName = keyof typeof SCENES

type Pool = { key: string; token0: string; token1: string }

/** Twenty minutes: trading, the feed through a restart, a reorganisation and a new configuration, a session that runs out. */
async function spendDay({ bed, conduct, wallet }: Parameters<Scene['play']>[0]): Promise<void> {
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
  await attempt(bed, quotes.ask({ tokenIn: pool.token0, tokenOut: pool.token1, amountIn }))
  await attempt(bed, exchange.claimFromFaucet(wallet.address))

  client.follow(roomsOf(pools, wallet))
  await time.pass(2 * MINUTE_MS)
  stub.world.changeConfig({ scope: 'fee_tiers', key: '3000' })
  await time.pass(MINUTE_MS)
  stub.world.reorg(2)
  await time.pass(MINUTE_MS)
  for (let restarts = 0; restarts < 4; restarts++) {
    await control('/gateway/restart', {})
    await time.pass(20_000)
  }
  await time.pass(15 * MINUTE_MS)
  await attempt(bed, client.stop())
}

function roomsOf(pools: readonly Pool[], { address }: Wallet): string[] {
  const ofPool = ({ key }: Pool) => [`trades:${key}`, `pool_stats:${key}`, `ohlcv:${key}`]
  return [
    'protocol_config',
    'pool_launches',
    `balances:${address}`,
    ...pools.slice(0, POOLS_FOLLOWED).flatMap(ofPool),
  ]
}

/** Two tabs of one browser, whose session has run out, ask at once. */
async function openTwoTabs({ bed, conduct, wallet }: Parameters<Scene['play']>[0]): Promise<void> {
  const jar = createCookieJar()
  const first = bed.client({ as: { wallet, jar } })
  const second = bed.client({ as: { wallet, jar }, conduct })
  await attempt(bed, first.signIn())
  for (let races = 0; races < 3; races++) {
    await bed.time.pass(16 * MINUTE_MS)
    await attempt(bed, Promise.all([first, second].map(({ exchange }) => exchange.get('/swaps'))))
  }
}

async function askMuch({ bed, conduct, wallet }: Parameters<Scene['play']>[0]): Promise<void> {
  const { exchange, signIn } = bed.client({ as: { wallet }, conduct })
  await attempt(bed, signIn())
  for (let asked = 0; asked < 30; asked++) await attempt(bed, exchange.get('/fee-tiers'))
}

async function askWithoutAccess({ bed, conduct }: Parameters<Scene['play']>[0]): Promise<void> {
  const wallet = bed.stub.wallets.find(({ hasAccess }) => !hasAccess)
  if (!wallet) throw new Error('every wallet of the stub has access')
  const { exchange, signIn } = bed.client({ as: { wallet }, conduct })
  await attempt(bed, signIn())
  for (let asked = 0; asked < 5; asked++) await attempt(bed, exchange.get('/swaps'))
}

function attempt<Value>({ time }: TestBed, promise: Promise<Value>): Promise<Value | undefined> {
  return time.until(promise).catch(() => undefined)
}
