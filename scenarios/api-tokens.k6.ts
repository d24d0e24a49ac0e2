// API tokens, session-only endpoints, administrator endpoints and referrals.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe/probe.ts'
import { mint } from './probes/admin-mint.ts'
import { apiTokenUse } from './probes/api-token-use.ts'
import { apiTokens, foreignRevoke, ownTokens } from './probes/api-tokens.ts'
import { codes, foreignCodes, referralBySession, referralRecords } from './probes/referral.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('tokens') }

export function tokens(): Promise<void> {
  return runProbes('api-tokens', [
    ...[apiTokens, apiTokenUse, foreignRevoke, ownTokens],
    ...[mint, codes, foreignCodes],
    ...[referralRecords, ...referralBySession],
  ])
}
