/** Clients for tests of the hunt: a browser with some tabs, right by default or with another conduct; a bot and a follower. */
import { type Client, createClient } from '../client/client.ts'
import { type Conduct, RIGHT_CONDUCT } from '../client/conduct.ts'
import { createCookieJar } from '../client/header-credential.ts'
import { ExchangeError, NoResponse } from '../client/send.ts'
import type { ClientPorts, InProcessClient } from './run-in-process.ts'

const POLL_MS = 4000
const POOLS = 3
/** Polled by one tab each. */
const PAGES = ['/swaps', '/unclaimed', '/fee-tiers']

type Pool = { key: string; token0: string; token1: string }

/** Requests that fail are given up, as a user would. */
const tryTo = <Value>(promise: Promise<Value>) => promise.catch(() => undefined)
// as: plain pool records
const listPools = async ({ exchange }: Client) => ((await tryTo(exchange.list('/pools'))) ?? []) as Pool[]

/**
 * Signs in with some tabs, follows `pools` pools, and polls. Requests that fail are given up, as a user would; any other error, such as
 * of a client that signs its user out, ends the tab.
 */
export function createTestClient(
  change: Partial<Conduct> | ((ports: ClientPorts) => Partial<Conduct>) = {},
  { pools = POOLS } = {},
): InProcessClient {
  return async (ports) => {
    const { profile, wallet, tools, fetch, WebSocket, signal } = ports
    const conduct = { ...RIGHT_CONDUCT, ...(typeof change === 'function' ? change(ports) : change) }
    const jar = createCookieJar()
    const tabs = new Set(
      PAGES.map((page) => ({
        page,
        client: createClient({ profile, as: { wallet, jar }, tools, conduct, fetch, WebSocket }),
      })),
    )
    const [tab] = tabs
    if (!tab) return
    const { client: first } = tab
    const attempt = <Value>(promise: Promise<Value>, by = tab) =>
      promise.catch((error: unknown) => {
        if (!(error instanceof ExchangeError || error instanceof NoResponse)) tabs.delete(by)
      })
    await attempt(first.signIn())
    const followed = (await listPools(first)).slice(0, pools)
    const rooms = followed.flatMap(({ key }) => [`trades:${key}`, `pool_stats:${key}`])
    first.follow(['protocol_config', 'pool_launches', `balances:${wallet.address}`, ...rooms])
    for (let turn = 0; !signal.aborted; turn++) {
      const [pool] = followed
      if (pool && tabs.has(tab) && turn % 5 === 0) {
        const amountIn = conduct.baseUnits('1,234.5', 6)
        await attempt(first.quotes.fetch({ tokenIn: pool.token0, tokenOut: pool.token1, amountIn }))
        await attempt(first.exchange.get(conduct.poolPath(pool.key)))
      }
      if (turn === 1) await attempt(first.exchange.claimFromFaucet(wallet.address))
      await Promise.all([...tabs].map((each) => attempt(each.client.exchange.get(each.page), each)))
      await tools.pause(POLL_MS)
    }
  }
}

/** With an API token and one room: quotes both ways, looks for unclaimed outputs, and pages through its trades now and then. */
const tradingBot: InProcessClient = async ({ profile, apiToken, tools, fetch, WebSocket, signal }) => {
  const client = createClient({ profile, as: { apiToken }, tools, fetch, WebSocket })
  client.follow(['protocol_config'])
  const [pool] = await listPools(client)
  for (let turn = 0; !signal.aborted; turn++) {
    if (pool) {
      const [tokenIn, tokenOut] = turn % 2 === 0 ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
      await tryTo(client.quotes.fetch({ tokenIn, tokenOut, amountIn: '1000000' }))
    }
    await tryTo(client.exchange.get('/unclaimed'))
    if (turn % 10 === 0) await tryTo(client.exchange.list('/swaps'))
    await tools.pause(POLL_MS)
  }
}

/** Follows every kind of market data, and sends no request that its rooms do not need. */
export const marketFollower: InProcessClient = async ({ profile, apiToken, tools, fetch, WebSocket }) => {
  const client = createClient({ profile, as: { apiToken }, tools, fetch, WebSocket })
  const pools = (await listPools(client)).slice(0, POOLS)
  const rooms = pools.flatMap(({ key }) => [`trades:${key}`, `pool_stats:${key}`, `ohlcv:${key}`])
  client.follow(['pool_launches', 'protocol_config', ...rooms])
}

/** Correct clients of different kinds. */
export const RIGHT_CLIENTS: Readonly<Record<string, InProcessClient>> = {
  'a browser with some tabs': createTestClient(),
  'a trading bot': tradingBot,
  'a follower of market data': marketFollower,
}
