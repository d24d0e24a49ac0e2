// Sign-in, access and sessions.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe/probe.ts'
import { access } from './probes/access.ts'
import { csrf } from './probes/csrf.ts'
import { secrets } from './probes/secrets.ts'
import { sessionEnds } from './probes/session-ends.ts'
import { logout, logoutAll, ownSessions, sessions, sessionsByToken } from './probes/sessions.ts'
import { challengeShape, signInRules } from './probes/sign-in.ts'
import { signatures } from './probes/signatures.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('auth') }

export function auth(): Promise<void> {
  return runProbes('auth', [
    ...[challengeShape, signInRules, signatures, access],
    ...[sessions, ownSessions, logout, logoutAll, sessionsByToken, csrf, ...sessionEnds],
    // Must be last, because it covers all earlier responses.
    secrets,
  ])
}
