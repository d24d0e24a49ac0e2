import type { TokenDraft } from '../chain/event.ts'
import type { ChainState } from '../chain/state.ts'
import type { Transaction } from '../chain/transaction.ts'
import { logNormal } from '../normal.ts'
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { drawPriceUsd, type Outside, quoteToken } from './market.ts'
import { fundOpenings, openPool } from './open-pool.ts'
import type { People } from './people.ts'
import { pickByWeight } from './pick-by-weight.ts'
import { draftRandomToken } from './token-draft.ts'

/**
 * A new token and its pool, where one is due in the next block. It trades with a hub token only, so that no launch
 * shortens the way between tokens that were there.
 */
export function launch(options: {
  state: ChainState
  outside: Outside
  people: People
  fixture: WorldFixture
  hubs: readonly TokenDraft[]
  /** Gets the token launched: governance lists it by and by. */
  unlisted: string[]
  stream: RandomStream
}): readonly Transaction[] {
  const { state, outside, people, fixture, stream } = options
  const { paused, allowlistEnabled, poolCreation } = state.configuration
  // A new token is on no list yet, and a paused exchange takes no liquidity.
  if (paused || allowlistEnabled || poolCreation === 'gated') return []
  if (!isDue(state.height + 1, fixture.launches)) return []
  const token = draftRandomToken(stream, fixture.tokens)
  quoteToken(outside, token.id, drawPriceUsd(fixture.market, stream))
  options.unlisted.push(token.id)
  const opening = openPool({
    sender: people.launcher,
    people,
    outside,
    pair: [stream.pick(options.hubs), token],
    tier: pickByWeight(fixture.feeTiers, stream),
    sizeUsd: logNormal(stream, fixture.poolSizeUsd),
    halfWidthTicks: fixture.poolHalfWidthTicks,
  })
  return [
    { kind: 'registerToken', sender: people.launcher, token },
    ...fundOpenings(people, [opening]),
    ...opening.transactions,
  ]
}

function isDue(height: number, { fromBlock, everyBlocks, poolsMax }: WorldFixture['launches']): boolean {
  const since = height - fromBlock
  return since >= 0 && since % everyBlocks === 0 && since / everyBlocks < poolsMax
}
