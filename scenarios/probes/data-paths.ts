import type { Profile } from '../../contract/profile.ts'

/** Reads that need a credential, with paths that the API documentation states. */
export const STATED_DATA_PATHS: readonly string[] = [
  '/swaps',
  '/unclaimed',
  '/fee-tiers',
  '/schema/trading',
  '/access/status',
  '/referral/status',
]

/** The subset that shows a wallet its access: these may serve a wallet without access. */
export const ACCESS_PATHS: readonly string[] = ['/access/status', '/referral/status']

export function portfolioPaths({ choices }: Pick<Profile, 'choices'>): string[] {
  return [choices.positionsPath, choices.balancesPath].filter((path) => path !== null)
}
