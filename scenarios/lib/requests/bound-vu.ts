import { bound } from 'k6/x/breakwater/bounds'
import { RESPONSE_BOUNDS } from '../../../contract/target-answers.ts'

/**
 * Keeps targets from taking this VU's memory or time. To be called before anything is sent: k6 has its means to send only once a VU
 * runs, so that no module can do it when it is loaded.
 */
export function boundVu(): void {
  bound(RESPONSE_BOUNDS)
}
