import type { Target } from '../../../contract/scenario-config.ts'
import { hasControl } from '../time/has-control.ts'
import { pause } from '../time/pause.ts'
import { control } from './control.ts'

const BLOCKS_MAX = 20
const WAIT_MS_MAX = 30_000
const PAUSE_MS = 500

/**
 * `late`: not yet, which proves nothing. `never`: not within more blocks than it can take, mined for this
 * check alone.
 */
export type Shown = 'shown' | 'late' | 'never'

/**
 * Waits until REST shows what the feed announced. The specification sets no deadline, so only a target with
 * mining on demand can return `never`.
 */
export async function waitUntilShown(target: Target, check: () => Promise<boolean>): Promise<Shown> {
  const until = Date.now() + WAIT_MS_MAX
  for (let turn = 0; ; turn++) {
    if (await check()) return 'shown'
    if (hasControl(target)) {
      if (turn === BLOCKS_MAX) return 'never'
      await control(target, '/mine', { blocks: 1 })
    } else {
      if (Date.now() > until) return 'late'
      await pause(PAUSE_MS)
    }
  }
}
