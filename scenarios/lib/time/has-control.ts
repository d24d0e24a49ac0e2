import type { Target } from '../../../contract/scenario-config.ts'

/**
 * True if the world's clock can be moved. In its own module, because every VU needs it but few need the
 * control API.
 */
export function hasControl(target: Target): boolean {
  return target.profile.control !== null && target.controlToken !== null
}
