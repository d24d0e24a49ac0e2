/** Clients for tests of the hunt: a bot and a browser session, right by default or with another conduct. */
import { createClient } from '../client/client.ts'
import { type Conduct, RIGHT_CONDUCT } from '../client/conduct.ts'
import { createCookieJar } from '../client/cookie-jar.ts'
import { ExchangeError, NoResponse } from '../client/send.ts'
import type { ClientPorts, InProcessClient } from './run-in-process.ts'

const POLL_MS = 4000
const POOLS = 3
/** Polled by one tab each. */
const PAGES = ['/swaps', '/unclaimed', '/fee-tiers']

/**
 * Signs in with some tabs, follows some pools, and polls. Requests that fail are given up, as a user would; any other error, such as
 * of a client that signs its user out, ends the tab.
 */
export function createTestClient(
  change: Partial<Conduct> | ((ports: ClientPorts) => Partial<Conduct>) = {},
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
    // as: plain pool records
    const pools = ((await attempt(first.exchange.list('/pools'))) ?? []) as {
      key: string
      token0: string
      token1: string
    }[]
    const followed = pools.slice(0, POOLS)
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
