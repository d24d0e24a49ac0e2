import type { Target } from '../../../contract/scenario-config.ts'
import { hasControl } from '../time/has-control.ts'
import { pause } from '../time/pause.ts'
import { control } from './control.ts'

const BLOCKS_MAX = 20
const WAIT_MS_MAX = 30_000
const PAUSE_MS = 500

/** `late`: not yet, which proves nothing. `never`: not in as many blocks as it cannot take, mined for it alone. */
export type Shown = 'shown' | 'late' | 'never'

/**
 * Waits for what the feed has announced to be shown by REST. How soon that is the specification does not state: only where
 * blocks are mined at our word is there nothing left to wait for.
 */
export async function waitUntilShown(target: Target, look: () => Promise<boolean>): Promise<Shown> {
  const until = Date.now() + WAIT_MS_MAX
  for (let turn = 0; ; turn++) {
    if (await look()) return 'shown'
    if (hasControl(target)) {
      if (turn === BLOCKS_MAX) return 'never'
      await control(target, '/mine', { blocks: 1 })
    } else {
      if (Date.now() > until) return 'late'
      await pause(PAUSE_MS)
    }
  }
}
