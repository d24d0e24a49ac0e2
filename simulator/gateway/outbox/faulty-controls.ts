import type { Clock } from '../../clock.ts'
import type { Faults } from '../../faults/faults.ts'
import type { SeenSocket } from '../../faults/feed-seams.ts'

/** Sends a control, now or, where a fault holds it back, later. */
export type SendControl = (control: string, send: () => void) => void

/** A sender for one socket, which `seen` describes to the faults. */
export function controlSender(options: {
  faults: Pick<Faults, 'seams'>
  clock: Clock
  seen: () => SeenSocket
}): SendControl {
  const { faults, clock, seen } = options
  return (control, send) => {
    const seams = faults.seams.control
    if (seams === null) return send()
    const socket = seen()
    const delayMs = seams.reduce((sum, seam) => sum + (seam({ control, socket }) ?? 0), 0)
    if (delayMs > 0) clock.after(delayMs, send)
    else send()
  }
}
