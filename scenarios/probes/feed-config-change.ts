import type { Target } from '../../contract/scenario-config.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { control } from '../lib/world/control.ts'

/** Changes the protocol configuration, if the world can be changed. The event comes with the next block. */
export async function changeConfig(target: Target): Promise<void> {
  if (hasControl(target)) await control(target, '/revision', { scope: 'fee_tiers', key: '3000' })
}
