import { expect, test } from 'vitest'
import { ADMIN, tokenId } from '../../chain/test-chain.ts'
import type { FaucetGrants, Transaction } from '../../chain/transaction.ts'
import { undoBlock } from '../../undo-log.ts'
import { createTestIndex } from '../test-index.ts'
import { listFaucetRecords, logFaucetRecord } from './faucet-records.ts'
import { CHUNK_LENGTH, HISTORY_LIMITS, logLength } from './history-log.ts'

const SYMBOLS = ['USD', 'A', 'B']
// as: mapped from three
const grants = SYMBOLS.map((symbol) => ({ tokenId: tokenId(symbol), amount: 7n })) as unknown as FaucetGrants
const claim = (recipient: string): Transaction => ({ kind: 'claimFaucet', sender: recipient, recipient })

function openFaucet() {
  const index = createTestIndex({ symbols: SYMBOLS, pools: [] })
  index.step({ kind: 'setFaucet', sender: ADMIN, grants })
  return index
}

test('faucet records are listed by address, with their tokens', () => {
  const { views, step } = openFaucet()
  step(claim('bw1other'), claim('bw1new'))
  const records = views.faucetRecords('bw1new')
  expect(records.map(({ token, amount }) => [token.symbol, amount])).toEqual([
    ['USD', 7n],
    ['A', 7n],
    ['B', 7n],
  ])
  expect(records[0]).toMatchObject({
    recipient: 'bw1new',
    block: views.head().height,
    atMs: views.head().timeMs,
  })
  expect(views.faucetRecords('bw1nobody')).toEqual([])
})

test('keeps the newest up to the limit, and a reorg restores dropped ones', () => {
  const { views, state, step } = openFaucet()
  step(claim('bw1first'))
  const [record] = listFaucetRecords(state, 'bw1first')
  if (!record) throw new Error('a claim was mined')
  const first = views.faucetRecords('bw1first')
  step()
  const { token, ...rest } = record
  const claims = HISTORY_LIMITS.faucetRecords + 2 * CHUNK_LENGTH
  for (let count = 1; count <= claims; count++)
    logFaucetRecord(state, { ...rest, id: `${count}`, recipient: `bw1${count % 2}`, tokenId: token.id })
  expect(views.faucetRecords('bw1first')).toEqual([])
  const [odd, even] = [views.faucetRecords('bw11'), views.faucetRecords('bw10')]
  expect(odd.length + even.length).toBe(HISTORY_LIMITS.faucetRecords)
  expect([odd.at(-1)?.id, even.at(-1)?.id]).toEqual([`${claims - 1}`, `${claims}`])
  expect(odd[0]?.id).toBe(`${2 * CHUNK_LENGTH + 1}`)
  expect(logLength(state.faucetRecords)).toBeLessThan(HISTORY_LIMITS.faucetRecords + CHUNK_LENGTH)
  undoBlock(state.journal)
  expect(views.faucetRecords('bw1first')).toEqual(first)
})
