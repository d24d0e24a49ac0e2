/**
 * Mutants: each makes the stub break one rule. They prove that the probe of that rule can fail. `rules` names every rule
 * that the breakage shows in: a run against the mutant reports at least one of them, and nothing outside of them.
 */
import { ACCESS_MUTANTS } from './access.ts'
import { ADMIN_MUTANTS, REFERRAL_MUTANTS } from './admin.ts'
import { API_TOKEN_MUTANTS } from './api-token.ts'
import { AUTH_MUTANTS } from './auth.ts'
import { FAUCET_MUTANTS } from './faucet.ts'
import { FEED_MUTANTS } from './feed.ts'
import { PAGING_MUTANTS } from './paging.ts'
import { RATE_LIMIT_MUTANTS } from './rate-limit.ts'
import { ROUTE_MUTANTS } from './route.ts'
import { SWAP_MUTANTS } from './swaps.ts'
import { WIRE_MUTANTS } from './wire.ts'

const MUTANT_TABLE = {
  ...WIRE_MUTANTS,
  ...PAGING_MUTANTS,
  ...SWAP_MUTANTS,
  ...ACCESS_MUTANTS,
  ...ROUTE_MUTANTS,
  ...AUTH_MUTANTS,
  ...API_TOKEN_MUTANTS,
  ...ADMIN_MUTANTS,
  ...REFERRAL_MUTANTS,
  ...FEED_MUTANTS,
  ...FAUCET_MUTANTS,
  ...RATE_LIMIT_MUTANTS,
}

export type MutantName = keyof typeof MUTANT_TABLE

export type Mutant = { name: MutantName; breaks: string; rules: readonly string[] }

export const MUTANTS: readonly Mutant[] = Object.entries(MUTANT_TABLE).map(([name, mutant]) => ({
  name: name as MutantName, // the keys of the table are the names
  ...mutant,
}))

/** The mutant of that name; undefined where there is none. */
export function mutantByName(name: string): Mutant | undefined {
  return MUTANTS.find((mutant) => mutant.name === name)
}
