import type { Target } from '../../contract/scenario-config.ts'
import { pickRevision } from '../lib/pick.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { control } from '../lib/world/control.ts'

export type Change = { scope: string; key: string }

/** A change, and its revision if that is known. */
export type Made = { change: Change; revision: bigint | undefined }

export const TIER_CHANGE: Change = { scope: 'fee_tiers', key: '3000' }
/** No pool has that key, so it only raises the revision. */
export const FEE_CHANGE: Change = { scope: 'protocol_fee', key: 'none' }

/**
 * Changes the protocol configuration, if the world can be changed. The event comes with the next block. Returns the revision,
 * if it is known.
 */
export async function changeConfig(target: Target, change = TIER_CHANGE): Promise<bigint | undefined> {
  if (!hasControl(target)) return undefined
  return pickRevision(await control(target, '/revision', change), 'revision')
}
