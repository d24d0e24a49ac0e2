import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows } from '../pick.ts'
import { callControl } from '../time/call-control.ts'
import { pause } from '../time/pause.ts'
import { CannotJudge } from '../verdict/cannot.ts'

const LOOKS_MAX = 500
const LOOK_EVERY_MS = 10

/** Waits until an injected fault has acted: whatever it acts on has then come to the exchange. */
export async function faultsActed(target: Target): Promise<void> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const faults = pickRows(await callControl(target, { method: 'GET', path: '/faults' }), 'faults') ?? []
    if (faults.some(({ acted }) => typeof acted === 'number' && acted > 0)) return
    await pause(LOOK_EVERY_MS)
  }
  throw new CannotJudge('no fault acted on what was sent')
}
