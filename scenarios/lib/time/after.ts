import { clearTimeout, setTimeout } from 'k6/timers'
import { createPunctual } from './punctual.ts'

/** As `setTimeout`, and never before its time. */
export const after = createPunctual({ set: setTimeout, clear: clearTimeout, nowMs: Date.now })
