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

/** Of those, the ones that show a wallet its access: they may serve one that has none. */
export const ACCESS_PATHS: readonly string[] = ['/access/status', '/referral/status']

/** Those of positions and balances, as far as the profile tells them. */
export function portfolioPaths({ choices }: Profile): string[] {
  return [choices.positionsPath, choices.balancesPath].filter((path) => path !== null)
}
