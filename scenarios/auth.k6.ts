// Sign-in, access, sessions and API tokens.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe.ts'
import { apiTokens } from './probes/api-tokens.ts'
import { logout, logoutAll, sessions } from './probes/sessions.ts'
import { access, signInRules } from './probes/sign-in.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('auth') }

export function auth(): Promise<void> {
  return runProbes('auth', [signInRules, access, sessions, logout, logoutAll, apiTokens])
}
