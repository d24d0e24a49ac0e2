import type { ChainState } from '../chain/state.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'

/** Claims of outputs that are old enough: some at once, some much later, some in parts. */
export function claimOutputs(
  state: ChainState,
  stream: RandomStream,
  { afterBlocks, probabilityPerBlock, partialShare }: WorldFixture['claims'],
): readonly Transaction[] {
  const claims: Transaction[] = []
  for (const { swapId, recipient, height, amountRemaining } of state.pendingOutputs.values()) {
    if (height + afterBlocks > state.height) break
    if (stream.float() >= probabilityPerBlock) continue
    const half = stream.float() < partialShare ? amountRemaining / 2n : 0n
    claims.push({ kind: 'claim', sender: recipient, swapId, ...(half > 0n && { amount: half }) })
  }
  return claims
}
