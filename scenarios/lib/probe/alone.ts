import type { Target, WorldName } from '../../../contract/scenario-config.ts'
import { createTurns } from '../identity/sign-in-turns.ts'
import { pickText } from '../pick.ts'
import { control } from '../world/control.ts'

const turns = createTurns()

/** The worlds in which probes read and sign in, and leave the world itself as it is. */
const LEFT_AS_IT_IS: readonly WorldName[] = ['main', 'reads']

/**
 * For a target that the user gave, with a control API: probes in turn, as one world stands for all of them, and the world
 * put back after those that move it.
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
      // What is left is left before the world is put back: then nobody knows it any more.
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
