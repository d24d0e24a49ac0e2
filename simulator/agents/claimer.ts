import type { ChainState } from '../chain/state.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'

/** Claims of outputs that are old enough: some at once, some much later. */
export function claimOutputs(
  state: ChainState,
  stream: RandomStream,
  { afterBlocks, probabilityPerBlock }: WorldFixture['claims'],
): readonly Transaction[] {
  const claims: Transaction[] = []
  for (const { swapId, recipient, height } of state.pendingOutputs.values()) {
    if (height + afterBlocks > state.height) break
    if (stream.float() < probabilityPerBlock) claims.push({ kind: 'claim', sender: recipient, swapId })
  }
  return claims
}
