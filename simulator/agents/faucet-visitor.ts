import type { Transaction } from '../chain/transaction.ts'
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import type { People } from './people.ts'

/** Traders at the faucet, at times too soon: the chain then refuses them. The accounts' own claims are left to them. */
export function visitFaucet(
  { traders }: People,
  stream: RandomStream,
  { claimsPerBlock }: WorldFixture['faucet'],
): readonly Transaction[] {
  const count = Math.floor(claimsPerBlock + stream.float())
  return Array.from({ length: count }, () => {
    const sender = stream.pick(traders)
    return { kind: 'claimFaucet', sender, recipient: sender }
  })
}
