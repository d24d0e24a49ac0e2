import { isOrdered } from '../case/timeline.ts'
import { world } from '../config.ts'
import { elapse } from './control.ts'
import { pause } from './pause.ts'

/** As `pause`, for the client of a case: moves the clock where it moves only when it is told to. */
export async function wait(ms: number): Promise<void> {
  if (isOrdered) await elapse(world('main'), ms)
  else await pause(ms)
}
