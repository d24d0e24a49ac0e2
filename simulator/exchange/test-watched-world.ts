/** A small world in which the wallets of a test bed trade, with all of its blocks, to compute expected responses. */
import { demoWallets } from '../auth/wallets.ts'
import type { Block } from '../chain/block.ts'
import type { ChainEvent } from '../chain/transaction.ts'
import { createClock } from '../clock.ts'
import { createRandom } from '../random.ts'
import { createChainNode, createRecentBlocks } from '../world/chain-node.ts'
import { SMALL } from '../world/test-small-world.ts'
import { createWorld } from '../world/world.ts'
import { parseStartMs } from '../world-fixture.ts'
import type { TestWorld } from './test-world.ts'

export type Watched = {
  world: TestWorld
  blocks: readonly Block[]
  events<Kind extends ChainEvent['kind']>(kind: Kind): readonly Placed<Kind>[]
}

export type Placed<Kind extends ChainEvent['kind']> = {
  event: Extract<ChainEvent, { kind: Kind }>
  block: Block
  transaction: string
}

/** Draws the same wallets as createTestBed: of the first three, the last has no access. */
export function watchedWorld(seed: number): Watched {
  const accounts = demoWallets({ random: createRandom(1), count: 3 }).map(({ address }) => address)
  const recent = createRecentBlocks({ countMax: Number.POSITIVE_INFINITY })
  const world = createWorld({
    fixture: SMALL,
    seed,
    random: createRandom(seed),
    clock: createClock({ startMs: parseStartMs(SMALL) }),
    accounts,
    onMined: recent.add,
  })
  world.mine(40)
  return {
    world: { ...world, blocks: recent, node: createChainNode({ world, blocks: recent }) },
    blocks: recent.all(),
    events: (kind) =>
      recent
        .all()
        .flatMap((block) =>
          block.receipts.flatMap(({ id, events }) =>
            events.flatMap((event) => (isKind(event, kind) ? [{ event, block, transaction: id }] : [])),
          ),
        ),
  }
}

function isKind<Kind extends ChainEvent['kind']>(
  event: ChainEvent,
  kind: Kind,
): event is Extract<ChainEvent, { kind: Kind }> {
  return event.kind === kind
}
