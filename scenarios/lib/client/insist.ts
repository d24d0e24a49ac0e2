import { backoffMs } from '../duties/retry-wait.ts'
import type { StoppableWaits } from '../duties/stoppable-waits.ts'
import { GaveUp } from '../requests/patient.ts'
import { CannotJudge } from '../verdict/cannot.ts'
import { ClientStopped } from './rest-client.ts'

const BASE_MS = 1000
const CAP_MS = 30_000

/**
 * Does what has to be done in the end, as reading again what events have told of: where trouble keeps it from being done, it
 * begins anew, ever more rarely, until it is done, or the client has no business there, or is stopped.
 */
export async function insist(
  work: () => Promise<void> | void,
  { waits, random }: { waits: StoppableWaits; random: () => number },
): Promise<void> {
  for (let attempt = 0; !waits.isStopped(); attempt++) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ClientStopped) return
      if (!(error instanceof CannotJudge)) throw error
      const toldMs = error instanceof GaveUp ? error.toldMs : 0
      await waits.wait(toldMs + backoffMs({ attempt, random, baseMs: BASE_MS, capMs: CAP_MS }))
    }
  }
}
