import { deserialize, serialize } from 'node:v8'
import { expect, test } from 'vitest'
import type { Block } from '../chain/block.ts'
import { mineBlock } from '../chain/chain.ts'
import { type ChainState, emptyState } from '../chain/state.ts'
import { createRandom } from '../random.ts'
import { loadWorldFixture, parseStartMs } from '../world-fixture.ts'
import { createAgents } from './agents.ts'
import { getPriceUsd } from './market.ts'

const fixture = loadWorldFixture('tiny')
const ACCOUNTS = ['bw1one', 'bw1two']
const { state, blocks, agents } = run(7, 400)
const { people } = agents
const events = blocks.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.events))

test('while trading is open, the chain refuses only faucet claims that are too soon', () => {
  const refused = blocks.flatMap(({ receipts }) => receipts.filter((receipt) => receipt.refused !== null))
  const reasons = refused.map((receipt) => `${receipt.kind}: ${receipt.refused}`)
  expect(reasons.filter((reason) => reason !== 'claimFaucet: faucet-too-soon')).toEqual([])
})

test('every token’s supply is accounted for: in a wallet, a pool or an unclaimed output', () => {
  const held = new Map<string, bigint>()
  const add = (tokenId: string, amount: bigint) => held.set(tokenId, (held.get(tokenId) ?? 0n) + amount)
  for (const wallet of state.balances.values()) for (const [tokenId, amount] of wallet) add(tokenId, amount)
  for (const pool of state.pools.values()) {
    add(pool.token0, pool.balance0)
    add(pool.token1, pool.balance1)
  }
  for (const { tokenId, amountRemaining } of state.pendingOutputs.values()) add(tokenId, amountRemaining)
  expect(held).toEqual(new Map([...state.tokens].map(([id, { supply }]) => [id, supply])))
})

test('accounts trade, claim and hold balances', () => {
  const traders = events
    .flatMap((event) => (event.kind === 'swapExecuted' ? [event.user] : []))
    .filter((user) => user !== people.arbitrageur)
  const byAccounts = traders.filter((user) => ACCOUNTS.includes(user)).length
  expect(byAccounts / traders.length).toBeGreaterThan(0.5)
  expect(byAccounts / traders.length).toBeLessThan(0.7)
  for (const account of ACCOUNTS)
    expect(state.balances.get(account)?.size).toBeGreaterThanOrEqual(fixtureTokens())
})

test('swaps take one to three hops, and most outputs are eventually claimed', () => {
  const swaps = events.filter((event) => event.kind === 'swapExecuted')
  const claims = events.filter((event) => event.kind === 'outputClaimed')
  const completed = claims.filter(({ amountRemaining }) => amountRemaining === 0n)
  expect(new Set(swaps.map(({ hops }) => hops.length))).toEqual(new Set([1, 2, 3]))
  expect(completed.length + state.pendingOutputs.size).toBe(swaps.length)
  expect(completed.length).toBeLessThan(claims.length)
  expect(state.pendingOutputs.size).toBeLessThan(40)
})

test('pools stay near the market', () => {
  const outside = {
    market: agents.state.market,
    rules: fixture.market,
    stream: createRandom(1).stream('looks'),
  }
  for (const pool of state.pools.values()) {
    const decimals = (id: string) => state.tokens.get(id)?.decimals ?? 0
    const price =
      (Number(pool.amm.sqrtPriceX96) / 2 ** 96) ** 2 * 10 ** (decimals(pool.token0) - decimals(pool.token1))
    const market = getPriceUsd(outside, pool.token0) / getPriceUsd(outside, pool.token1)
    expect(Math.abs(Math.log(price / market))).toBeLessThan(0.25)
  }
})

test('providers open, increase, reduce, move and close ranges around the price, some of them private', () => {
  const sent = new Set(blocks.flatMap(({ receipts }) => receipts.map(({ kind }) => kind)))
  for (const kind of ['mintPosition', 'increasePosition', 'burnPosition', 'collectPosition'] as const)
    expect(sent).toContain(kind)
  const opened = events.filter((event) => event.kind === 'positionOpened')
  expect(new Set(opened.map(({ isPrivate }) => isPrivate))).toEqual(new Set([false, true]))
  expect(events.some((event) => event.kind === 'positionCollected' && event.closed)).toBe(true)
  const concentrated = [...state.positions.values()].filter(({ tickLower }) => tickLower > -800_000)
  expect(concentrated.length).toBeGreaterThan(10)
})

test('arbitrage closes gaps: some through pools of a pair or a triangle, most against the market', () => {
  const swaps = events.filter((event) => event.kind === 'swapExecuted' && event.user === people.arbitrageur)
  const trips = swaps.filter((event) => event.kind === 'swapExecuted' && event.tokenIn === event.tokenOut)
  expect(trips.length).toBeGreaterThan(5)
  expect(swaps.length - trips.length).toBeGreaterThan(50)
})

test('launches come at their rate, each a new token against a hub token', () => {
  const launches = blocks.filter(
    ({ height, receipts }) =>
      height >= fixture.launches.fromBlock && receipts.some(({ kind }) => kind === 'createPool'),
  )
  const heights = launches.map(({ height }) => height)
  expect(heights).toEqual([305, 315, 325, 335, 345, 355, 365, 375, 385, 395])
})

test('the same seed gives the same blocks, another seed different ones', () => {
  expect(run(7, 400).state.eventLogHash).toBe(state.eventLogHash)
  expect(run(8, 400).state.eventLogHash).not.toBe(state.eventLogHash)
})

test('all agent memory is in their state: restored from a copy, they continue identically', () => {
  const churning = { ...fixture, governance: { ...loadWorldFixture('churn').governance, everyBlocks: 3 } }
  const [steady, restored] = [run(7, 310, churning), run(7, 310, churning)]
  const goOn = ({ state: chain, agents: acting }: ReturnType<typeof run>) => {
    for (let block = 0; block < 60; block++) mineBlock(chain, acting.act(chain, 500), chain.timeMs + 500)
    return chain.eventLogHash
  }
  Object.assign(restored.agents.state, deserialize(serialize(restored.agents.state)))
  expect(goOn(restored)).toBe(goOn(steady))
  expect(restored.agents.state).toEqual(steady.agents.state)
  expect(steady.agents.state.governance.inForce.length).toBeGreaterThan(0)
})

test.each([
  ['pause', 'all'],
  ['allowlist', 'enabled'],
  ['pool_creation', 'gate'],
] as const)('after a change of %s no agent sends a transaction that the chain then refuses', (scope, key) => {
  const { state: chain, agents } = run(7, 300)
  const change = {
    kind: 'changeConfig' as const,
    sender: agents.people.administrator,
    change: { scope, key },
  }
  mineBlock(chain, [change], chain.timeMs + 500)
  const refused: string[] = []
  for (let block = 0; block < 40; block++) {
    const sent = agents.act(chain, 500)
    const { receipts } = mineBlock(chain, sent, chain.timeMs + 500)
    refused.push(
      ...receipts.flatMap((receipt) => (receipt.refused ? [`${receipt.kind}: ${receipt.refused}`] : [])),
    )
  }
  expect(refused.filter((reason) => reason !== 'claimFaucet: faucet-too-soon')).toEqual([])
})

function fixtureTokens(): number {
  const { spokes, tail, unpooled } = fixture.tokens
  return 2 + spokes + tail + unpooled
}

function run(
  seed: number,
  blockCount: number,
  world = fixture,
): { state: ChainState; blocks: Block[]; agents: ReturnType<typeof createAgents> } {
  const agents = createAgents({ fixture: world, random: createRandom(seed), accounts: ACCOUNTS })
  const chain = emptyState({ startMs: parseStartMs(fixture), administrator: agents.people.administrator })
  const mined: Block[] = []
  for (let height = 0; height < blockCount; height++) {
    const timeMs = parseStartMs(fixture) + height * fixture.history.blockIntervalMs
    mined.push(mineBlock(chain, agents.act(chain, timeMs - chain.timeMs), timeMs))
  }
  return { state: chain, blocks: mined, agents }
}
