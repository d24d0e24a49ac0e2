import { pause } from '../time/pause.ts'
import { createConfirmWithin } from './persistence.ts'

/** Of a VU: of a target that is strange everywhere, some troubles are shown to persist, and the others stay open. */
const BUDGET_MS = 90_000

/** The confirmations of this VU. */
export const confirm = createConfirmWithin(BUDGET_MS, { nowMs: Date.now, pause })
