import type { ChainState } from '../chain/state.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'

/** How often a revision comes with a position frozen, or one set free again. */
const FREEZE_SHARE = 0.3

/** A revision where one is due in the next block: it admits a launched token to the list, or stops nobody from anything. */
export function govern(
  state: ChainState,
  sender: string,
  stream: RandomStream,
  { governance, feeTiers }: WorldFixture,
): readonly Transaction[] {
  const height = state.height + 1
  if (height === 0 || height % governance.everyBlocks !== 0) return []
  const unlisted = [...state.tokens.keys()].find((id) => !state.allowlist.tokens.has(id))
  const changes = [
    ...feeTiers.map((tier) => ({ scope: 'fee_tiers' as const, key: `${tier.feePips}/${tier.tickSpacing}` })),
    ...(unlisted === undefined ? [] : [{ scope: 'allowlist' as const, key: unlisted }]),
  ]
  return [
    { kind: 'changeConfig', sender, change: stream.pick(changes) },
    ...(stream.float() < FREEZE_SHARE ? freeze(state, sender, stream) : []),
  ]
}

/** Frees the position frozen longest, else freezes some position. */
function freeze(state: ChainState, sender: string, stream: RandomStream): readonly Transaction[] {
  const positions = [...state.positions.values()]
  const frozen = positions.find(({ frozenAtMs }) => frozenAtMs !== null)
  if (frozen) return [{ kind: 'unfreezePosition', sender, position: frozen.id }]
  if (positions.length === 0) return []
  return [{ kind: 'freezePosition', sender, position: stream.pick(positions).id }]
}
