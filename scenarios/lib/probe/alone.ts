import type { Target, WorldName } from '../../../contract/scenario-config.ts'
import { createTurns } from '../identity/shared-wallets.ts'
import { pickText } from '../pick.ts'
import { control } from '../world/control.ts'

const turns = createTurns()

/** Worlds that probes read and sign in to, but do not modify. */
const LEFT_AS_IT_IS: readonly WorldName[] = ['main', 'reads']

/**
 * For a given target with a control API, whose one world serves all probes: runs probes one at a time, and
 * reverts the world after probes that change it.
 */
export async function aloneInTheWorld(
  target: Target,
  options: { world: WorldName; run: () => Promise<void>; putAway: () => Promise<void> },
): Promise<void> {
  const { world, run, putAway } = options
  await turns.enter(target)
  try {
    const before = LEFT_AS_IT_IS.includes(world) ? undefined : await control(target, '/snapshot')
    try {
      await run()
    } finally {
      // Clean up first: after the revert, the exchange no longer knows the sessions.
      await putAway()
      if (before !== undefined) await goBack(target, pickText(before, 'snapshot') ?? '')
    }
  } finally {
    turns.leave(target)
  }
}

async function goBack(target: Target, snapshot: string): Promise<void> {
  await control(target, '/revert', { snapshot })
  await control(target, '/snapshot/drop', { snapshot })
}
