/** The world of a stub, with its history, the wallets of its seed and its newest blocks. */
import { deserialize, serialize } from 'node:v8'
import { type DemoWallet, demoWallets } from './auth/wallets.ts'
import type { Block } from './chain/block.ts'
import { createClock } from './clock.ts'
import { createRandom, type Random } from './random.ts'
import type { StubOptions } from './stub-options.ts'
import { BLOCKS_KEPT, createRecentBlocks, type RecentBlocks } from './world/chain-node.ts'
import { createWorld, loadWorld, type World } from './world/world.ts'
import { loadWorldFixture, parseStartMs, type WorldFixture } from './world-fixture.ts'

export type OpenedWorld = {
  world: World
  random: Random
  wallets: readonly DemoWallet[]
  blocks: RecentBlocks
  /** Its history was not mined again. */
  isRestored: boolean
}

const WALLET_COUNT = 22

/** Wallets are derived from the world's seed. In a world dumped by a chain alone they own nothing. */
export function openWorld({
  world: name,
  seed,
  load,
  newcomers = 0,
  isFirstOfMany = false,
}: Pick<StubOptions, 'world' | 'seed' | 'load' | 'newcomers' | 'isFirstOfMany'>): OpenedWorld {
  if (load) {
    const blocks = createRecentBlocks({ countMax: BLOCKS_KEPT })
    const { world, random, origin } = loadWorld({ ...load, onMined: blocks.add })
    return { world, random, wallets: listWallets(origin.seed, newcomers), blocks, isRestored: true }
  }
  const fixture = loadWorldFixture(name)
  const wallets = listWallets(seed, newcomers)
  const key = JSON.stringify([seed, fixture])
  const known = kept?.key === key ? kept : undefined
  if (typeof known?.saved === 'object') return { ...restoreHistory(known.saved), wallets, isRestored: true }
  const mined = mineHistory(fixture, seed, wallets)
  if (known?.saved !== 'too large')
    kept = { key, saved: known !== undefined || isFirstOfMany ? saveHistory(mined) : 'not yet' }
  return { ...mined, wallets, isRestored: false }
}

type Mined = Omit<OpenedWorld, 'wallets' | 'isRestored'>
type SavedHistory = { dump: Buffer; blocks: Buffer }

/**
 * The history of the newest world and seed, so that a run with several worlds mines it at most twice. That of the first
 * world is saved only if it is the first of many, because most programs open one.
 */
let kept: { key: string; saved: SavedHistory | 'not yet' | 'too large' } | undefined
const SAVED_BYTES_MAX = 32_000_000

function saveHistory({ world, blocks }: Mined): SavedHistory | 'too large' {
  const dump = world.dump()
  return dump.length > SAVED_BYTES_MAX ? 'too large' : { dump, blocks: serialize(blocks.save()) }
}

function restoreHistory(saved: SavedHistory): Mined {
  const blocks = createRecentBlocks({ countMax: BLOCKS_KEPT })
  const { world, random } = loadWorld({ dump: saved.dump, onMined: blocks.add })
  blocks.restore(deserialize(saved.blocks) as Block[]) // as: written by saveHistory
  return { world, random, blocks }
}

function mineHistory(fixture: WorldFixture, seed: number, wallets: readonly DemoWallet[]): Mined {
  const accounts = wallets.slice(0, WALLET_COUNT).map(({ address }) => address)
  const blocks = createRecentBlocks({ countMax: BLOCKS_KEPT })
  const random = createRandom(seed)
  const clock = createClock({ startMs: parseStartMs(fixture) })
  const world = createWorld({ fixture, seed, random, clock, accounts, onMined: blocks.add })
  return { world, random, blocks }
}

function listWallets(seed: number, newcomers: number): readonly DemoWallet[] {
  const random = createRandom(seed)
  const wallets = demoWallets({ random, count: WALLET_COUNT })
  if (newcomers === 0) return wallets
  // Without an administrator and a wallet without access.
  return [...wallets, ...demoWallets({ random, count: newcomers + 2 }).slice(1, -1)]
}
