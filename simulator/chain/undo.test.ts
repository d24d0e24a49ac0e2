import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import { createAgents } from '../agents/agents.ts'
import { createRandom, type RandomStream } from '../random.ts'
import { listed } from '../test-listed.ts'
import { loadWorldFixture, parseStartMs } from '../world-fixture.ts'
import { mineBlock, undoLastBlock } from './chain.ts'
import { pairKey } from './pair.ts'
import { type ChainState, emptyState } from './state.ts'
import type { ConfigChange, Transaction } from './transaction.ts'

const tiny = loadWorldFixture('tiny')
const START_MS = parseStartMs(tiny)
const INTERVAL_MS = 700
const BLOCKS_BEFORE = 30

const worlds = fc.record({
  seed: fc.nat(1000),
  swapsPerBlock: fc.constantFrom(1, 12),
  actionsPerBlock: fc.constantFrom(0.5, 6),
  launchEveryBlocks: fc.constantFrom(2, 9),
  governanceEveryBlocks: fc.constantFrom(2, 5),
  blocks: fc.integer({ min: 1, max: 24 }),
})
type WorldDraft = typeof worlds extends fc.Arbitrary<infer Value> ? Value : never

test('undoing blocks of any world restores the exact state before each, and mining again gives the same blocks', () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(worlds, (draft) => {
      const { state, drawTransactions } = startChain(draft)
      const mine = (transactions: readonly Transaction[]) =>
        mineBlock(state, transactions, START_MS + (state.height + 1) * INTERVAL_MS)
      for (let block = 0; block < BLOCKS_BEFORE; block++) mine(drawTransactions())
      const mined: { before: unknown; transactions: readonly Transaction[]; hash: string }[] = []
      for (let block = 0; block < draft.blocks; block++) {
        const before = withoutJournal(state)
        const transactions = drawTransactions()
        const { hash, receipts } = mine(transactions)
        mined.push({ before, transactions, hash })
        for (const { kind, events } of receipts) if (events.length > 0) kinds.add(kind)
      }
      for (const { before } of mined.toReversed()) {
        undoLastBlock(state)
        expect(withoutJournal(state)).toEqual(before)
      }
      for (const { transactions, hash } of mined) expect(mine(transactions).hash).toBe(hash)
    }),
    { seed: 5, numRuns: IN_FULL ? 12 : 5 },
  )
  // Every kind except the faucet's setting, which only the founder sends.
  expect(kinds.size).toBe(14)
})

test('throws without a recorded block', () => {
  expect(() => undoLastBlock(emptyState({ startMs: 0, administrator: 'bw1admin' }))).toThrow(
    'the journal has no block to undo',
  )
})

function startChain({ seed, ...draft }: WorldDraft) {
  const fixture = {
    ...tiny,
    swapsPerBlock: draft.swapsPerBlock,
    claims: { afterBlocks: 1, probabilityPerBlock: 0.4, partialShare: 0.3 },
    liquidity: { ...tiny.liquidity, actionsPerBlock: draft.actionsPerBlock },
    faucet: { ...tiny.faucet, claimsPerBlock: 0.3 },
    launches: { ...tiny.launches, fromBlock: 10, everyBlocks: draft.launchEveryBlocks },
    governance: { ...tiny.governance, everyBlocks: draft.governanceEveryBlocks },
  }
  const random = createRandom(seed)
  const agents = createAgents({ fixture, random, accounts: [] })
  const state = emptyState({ startMs: START_MS, administrator: agents.people.administrator })
  const stream = random.stream('test')
  const drawTransactions = () => [
    ...agents.act(state, INTERVAL_MS),
    ...drawOthers(state, agents.people.administrator, stream),
  ]
  return { state, drawTransactions }
}

/** Actions that agents never take: short pauses, lists, tokens for a new address, partial collects. */
function drawOthers(state: ChainState, administrator: string, stream: RandomStream): readonly Transaction[] {
  if (state.height < 20) return []
  const pool = state.pools.get(stream.pick(state.poolKeys))
  const position = [...state.positions.values()].at(-stream.int(1, 9))
  const changes: ConfigChange[] = [
    { scope: 'pause', key: pool?.key ?? '' },
    { scope: 'pause', key: pairKey(pool?.token0 ?? '', pool?.token1 ?? '') },
    { scope: 'allowlist', key: pairKey(pool?.token0 ?? '', pool?.token1 ?? '') },
    { scope: 'allowlist', key: pool?.token0 ?? '' },
    { scope: 'fee_tiers', key: `${stream.int(1, 999)}/7` },
    { scope: 'pool_creation', key: 'all' },
    { scope: 'protocol_fee', key: `${pool?.key}/4/${stream.int(4, 10)}` },
    { scope: 'protocol_fee', key: `${pool?.key}/0/0` },
  ]
  const change = stream.pick(changes)
  const shares = [{ recipient: `bw1new${stream.int(1, 9)}`, amount: 5n }]
  return [
    { kind: 'mintToken', sender: administrator, tokenId: pool?.token0 ?? '', shares },
    { kind: 'changeConfig', sender: administrator, change },
    ...(stream.float() < 0.8 ? [{ kind: 'changeConfig' as const, sender: administrator, change }] : []),
    ...(position
      ? [
          {
            kind: 'collectPosition' as const,
            sender: position.owner,
            position: position.id,
            amount0Max: 7n,
            amount1Max: 0n,
          },
        ]
      : []),
  ]
}

function withoutJournal({ journal: _, ...state }: ChainState): unknown {
  return listed(state)
}
