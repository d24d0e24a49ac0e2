import { expect, test } from 'vitest'
import { getBalance } from '../ledger.ts'
import { ADMIN, ALICE, createTestChain, tokenId } from '../test-chain.ts'
import type { FaucetGrants, Transaction } from '../transaction.ts'

const SYMBOLS = ['A', 'B', 'C']
const grants = SYMBOLS.map((symbol, index) => ({
  tokenId: tokenId(symbol),
  amount: BigInt(index + 1),
})) as unknown as FaucetGrants // as: mapped from three
const open: Transaction = { kind: 'setFaucet', sender: ADMIN, grants }
const claim = (recipient: string): Transaction => ({ kind: 'claimFaucet', sender: ALICE, recipient })
const getSupply = (chain: ReturnType<typeof createTestChain>) => chain.state.tokens.get(tokenId('C'))?.supply

test('gives three tokens as separate records, newly minted', () => {
  const chain = createTestChain(SYMBOLS)
  const before = getSupply(chain) ?? 0n
  chain.mine(open)
  const [receipt] = chain.mine(claim('bw1new'))
  const claimed = receipt?.events.find((event) => event.kind === 'faucetClaimed')
  expect(claimed).toMatchObject({ recipient: 'bw1new', records: grants })
  expect(new Set(claimed?.records.map(({ id }) => id)).size).toBe(3)
  expect(SYMBOLS.map((symbol) => getBalance(chain.state, 'bw1new', tokenId(symbol)))).toEqual([1n, 2n, 3n])
  expect(getSupply(chain)).toBe(before + 3n)
})

test('once per address in fifteen minutes of the chain’s time, whoever sends the claim', () => {
  const chain = createTestChain(SYMBOLS)
  chain.mine(open)
  const [first, again, other] = chain.mine(
    claim('bw1new'),
    { ...claim('bw1new'), sender: ADMIN },
    claim(ALICE),
  )
  expect([first, again, other].map((receipt) => receipt?.refused)).toEqual([null, 'faucet-too-soon', null])
  for (let minute = 0; minute < 13; minute++) chain.mine()
  // Blocks are a minute apart: the fourteenth after the claim is too early, the fifteenth is not.
  expect(chain.mine(claim('bw1new'))[0]?.refused).toBe('faucet-too-soon')
  expect(chain.mine(claim('bw1new'))[0]?.refused).toBeNull()
})

test.each<[string, Transaction]>([
  ['not-administrator', { kind: 'setFaucet', sender: ALICE, grants }],
  [
    'token-unknown',
    { kind: 'setFaucet', sender: ADMIN, grants: [{ tokenId: '1field', amount: 1n }, grants[1], grants[2]] },
  ],
  [
    'amount-not-positive',
    { kind: 'setFaucet', sender: ADMIN, grants: [{ ...grants[0], amount: 0n }, grants[1], grants[2]] },
  ],
  ['faucet-closed', claim(ALICE)],
])('refuses (%s)', (reason, transaction) => {
  expect(createTestChain(SYMBOLS).mine(transaction)[0]?.refused).toBe(reason)
})
