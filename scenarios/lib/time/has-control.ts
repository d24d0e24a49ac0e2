import type { Target } from '../../../contract/scenario-config.ts'

/** Whether the world's clock can be moved, rather than waited for. Apart from what moves it: every VU asks. */
export function hasControl(target: Target): boolean {
  return target.profile.control !== null && target.controlToken !== null
}
