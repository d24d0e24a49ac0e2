import type { ChainState } from '../chain/state.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { FEE_TIER } from './open-pool.ts'

/** A revision where one is due in the next block: announced like any other, it stops nobody from trading. */
export function govern(
  state: ChainState,
  sender: string,
  stream: RandomStream,
  { everyBlocks }: WorldFixture['governance'],
): readonly Transaction[] {
  const height = state.height + 1
  if (height === 0 || height % everyBlocks !== 0) return []
  const changes = [
    { scope: 'fee_tiers' as const, key: `${FEE_TIER.feePips}/${FEE_TIER.tickSpacing}` },
    { scope: 'allowlist' as const, key: stream.pick([...state.tokens.keys()]) },
  ]
  return [{ kind: 'changeConfig', sender, change: stream.pick(changes) }]
}
