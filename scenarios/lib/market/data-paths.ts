import type { Profile } from '../../../contract/profile.ts'

/** Reads that take a credential, and whose paths are stated. */
export const STATED_DATA_PATHS: readonly string[] = [
  '/swaps',
  '/unclaimed',
  '/fee-tiers',
  '/schema/trading',
  '/access/status',
  '/referral/status',
]

/** Those of positions and balances, as far as the profile tells them. */
export function portfolioPaths({ choices }: Profile): string[] {
  return [choices.positionsPath, choices.balancesPath].filter((path) => path !== null)
}
