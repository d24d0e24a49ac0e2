import { world } from '../config.ts'
import { isOrdered } from '../story/timeline.ts'
import { pause } from '../time/pause.ts'
import { elapse } from './control.ts'

/** As `pause`, for the client of a case: moves the clock where it moves only when it is told to. */
export async function wait(ms: number): Promise<void> {
  if (isOrdered) await elapse(world('main'), ms)
  else await pause(ms)
}
