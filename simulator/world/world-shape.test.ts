// Checks the structure of a dump against its version: a change of one must change the other.
import { createHash } from 'node:crypto'
import { deserialize } from 'node:v8'
import { expect, test } from 'vitest'
import { tradingBar } from '../chain/pair.ts'
import type { Transaction } from '../chain/transaction.ts'
import { createClock } from '../clock.ts'
import { createRandom } from '../random.ts'
import { CHANGE_WIDTH, type Changes } from '../undo-log.ts'
import { parseStartMs, type WorldFixture } from '../world-fixture.ts'
import { SMALL } from './test-small-world.ts'
import { createWorld, type World } from './world.ts'
import { VERSION } from './world-snapshots.ts'

/** Replace both with the values that the test shows, after raising VERSION. */
const PINNED = { version: 6, shape: 'b5cb24e8efd8a671c91db3603989e043a63b488bc7a419c20744385b9ce491e7' }

test('a dump has the shape of its version: if it changes, raise VERSION, then update the pinned values', () => {
  const lines = [...collectShape(1)].sort()
  const shape = createHash('sha256').update(lines.join('\n')).digest('hex')
  expect({ version: VERSION, shape }).toEqual(PINNED)
})

test('the shape is the same for any seed', () => {
  const [one, other] = [1, 2].map((seed) => [...collectShape(seed)].sort())
  expect(one).toEqual(other)
})

/** A world in which agents soon take every possible action. */
const FIXTURE: WorldFixture = {
  ...SMALL,
  faucet: { ...SMALL.faucet, claimsPerBlock: 1 },
  governance: {
    everyBlocks: 3,
    holdBlocks: 4,
    weights: {
      announceTier: 1,
      addTier: 1,
      listToken: 1,
      pausePair: 3,
      disablePool: 1,
      enableAllowlist: 1,
      gatePoolCreation: 1,
      setProtocolFee: 2,
    },
  },
}

/** All structure that a dump may have, each seen at least once: dumps at every stage of the world. */
function collectShape(seed: number): Shape {
  const shape: Shape = new Set()
  const world = createWorld({
    fixture: FIXTURE,
    seed,
    random: createRandom(seed),
    clock: createClock({ startMs: parseStartMs(FIXTURE) }),
    accounts: ['bw1account'],
    // Any block may wait in a dump.
    onMined: (block) => addShape(shape, block, 'dump.state.waiting[]'),
  })
  for (const stage of STAGES) {
    stage(world)
    const dump = world.dump()
    const end = dump.indexOf('\n')
    addShape(shape, JSON.parse(dump.subarray(0, end).toString()), 'header')
    addShape(shape, deserialize(dump.subarray(end + 1)), 'dump')
  }
  return shape
}

const trade = (world: World) => world.mine(30)

const STAGES: readonly ((world: World) => void)[] = [
  (world) => {
    world.include({ name: 'part', save: () => null, restore() {} })
    world.setMining({ mode: 'paused' })
    for (const transaction of [...refusedOfEachKind(), ...swapOverTick(world)]) world.submit(transaction)
  },
  (world) => {
    world.setLag({ ms: 1000 })
    world.setMining({ mode: 'interval', intervalMs: 500 })
    world.start()
    world.mine(5)
  },
  (world) => {
    world.setLag({ blocks: 3 })
    world.setMining({ mode: 'on-demand' })
    const [one, other] = world.views.pools({ limit: 2, offset: 0 }).rows
    const pair = `${other?.token0.id}/${other?.token1.id}`
    world.changeConfig({ scope: 'pause', key: one?.key ?? '' })
    world.changeConfig({ scope: 'pause', key: pair })
    world.changeConfig({ scope: 'allowlist', key: pair })
  },
  trade,
  trade,
  trade,
  trade,
  trade,
  trade,
]

/** A swap that crosses a tick, and its funding. */
function swapOverTick(world: World): readonly Transaction[] {
  const { chain } = world.state()
  const pool = [...chain.pools.values()].find((candidate) => tradingBar(chain, candidate) === undefined)
  if (!pool) throw new Error('no pool trades')
  const { key, token0, token1, balance0, balance1, amm } = pool
  const sender = 'bw1account'
  const fund = (tokenId: string, amount: bigint): Transaction => ({
    kind: 'mintToken',
    sender: world.administrator,
    tokenId,
    shares: [{ recipient: sender, amount }],
  })
  const tickLower = (Math.floor(amm.tick / amm.tickSpacing) + 1) * amm.tickSpacing
  const tickUpper = tickLower + amm.tickSpacing
  const range = { pool: key, tickLower, tickUpper, liquidity: 1n, isPrivate: false }
  const swap = { recipient: sender, tokenIn: token1, amountIn: balance1, amountOutMin: 0n, isPrivate: false }
  return [
    fund(token0, balance0),
    fund(token1, balance1),
    { kind: 'mintPosition', sender, ...range },
    { kind: 'swap', sender, pools: [key], ...swap },
  ]
}

/** From a wallet that may only register one token: receipts of every kind then have a reason. */
function refusedOfEachKind(): readonly Transaction[] {
  const sender = 'bw1stranger'
  const position = 'nowhere'
  const tokenId = 'nothing'
  const grant = { tokenId, amount: 1n }
  const token = {
    id: tokenId,
    address: tokenId,
    symbol: 'N',
    name: 'Nothing',
    decimals: 6,
    ammTokenProgram: 'nothing.aleo',
    underlyingProgram: null,
    underlyingTokenId: null,
    image: null,
  }
  const inRange = { tickLower: 0, tickUpper: 60, liquidity: 1n, isPrivate: false }
  const swap = { recipient: sender, tokenIn: tokenId, amountIn: 1n, amountOutMin: 0n, isPrivate: false }
  const byKind: { [Kind in Transaction['kind']]: Omit<Extract<Transaction, { kind: Kind }>, 'kind'> } = {
    registerToken: { sender, token },
    mintToken: { sender, tokenId, shares: [{ recipient: sender, amount: 1n }] },
    createPool: { sender, tokenA: tokenId, tokenB: tokenId, feePips: 3000, sqrtPriceX96: 1n },
    mintPosition: { sender, pool: 'nowhere', ...inRange },
    increasePosition: { sender, position, liquidity: 1n },
    burnPosition: { sender, position, liquidity: 1n },
    collectPosition: { sender, position, amount0Max: 1n, amount1Max: 1n },
    freezePosition: { sender, position },
    unfreezePosition: { sender, position },
    swap: { sender, pools: ['nowhere'], ...swap },
    claim: { sender, swapId: 'none', amount: 1n },
    collectProtocol: { sender, pool: 'nowhere', recipient: sender, amount0Max: 1n, amount1Max: 1n },
    changeConfig: { sender, change: { scope: 'pause', key: 'all' } },
    setFaucet: { sender, grants: [grant, grant, grant] },
    claimFaucet: { sender, recipient: 'bw1account' },
  }
  const all = Object.entries(byKind).map(([kind, fields]) => ({ kind, ...fields }) as Transaction) // as: of its kind
  return [...all, { kind: 'registerToken', sender, token }]
}

/** Structure of plain data: one line for each path and type of value seen there. */
type Shape = Set<string>

/** Adds the structure of `value`. Map entries, set members and array items share a path; objects with a `kind` have one per kind. */
function addShape(shape: Shape, value: unknown, path: string): void {
  if (value instanceof Map) {
    shape.add(`${path}: map`)
    for (const [key, entry] of value) {
      addShape(shape, key, `${path}{key}`)
      addShape(shape, entry, `${path}{}`)
    }
  } else if (value instanceof Set) {
    shape.add(`${path}: set`)
    for (const member of value) addShape(shape, member, `${path}{member}`)
  } else if (Array.isArray(value) && path.endsWith('journal.blocks[]')) {
    addChanges(shape, value)
  } else if (Array.isArray(value)) {
    shape.add(`${path}: list`)
    for (const item of value) addShape(shape, item, `${path}[]`)
  } else if (typeof value === 'object' && value !== null) {
    addFields(shape, value, path)
  } else {
    shape.add(`${path}: ${value === null ? 'null' : typeof value}`)
  }
}

function addFields(shape: Shape, value: object, path: string): void {
  const at = 'kind' in value ? `${path}<${value.kind}>` : path
  shape.add(`${at}: object`)
  for (const [name, field] of Object.entries(value)) addShape(shape, field, `${at}.${name}`)
}

/** All journals have the same structure, and their contents are copies and parts of other state: which ones is random. */
function addChanges(shape: Shape, changes: Changes): void {
  for (let place = 0; place < changes.length; place += CHANGE_WIDTH) shape.add(`journal<${changes[place]}>`)
}
