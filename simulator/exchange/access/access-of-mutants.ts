import type { FastifyRequest } from 'fastify'
import type { Choices } from '../../choices/choices.ts'
import type { MutantName } from '../../mutants/mutants.ts'

/**
 * What a route asks of a credential that is valid: a browser's session, an administrator's wallet, the CSRF token, a wallet with
 * access.
 */
export type AccessNeeds = { session: boolean; admin: boolean; csrf: boolean; access: boolean }

type Spoilt = { routes: (choices: Choices) => readonly string[]; needs: AccessNeeds }

const ANY_CREDENTIAL: AccessNeeds = { session: false, admin: false, csrf: true, access: true }
const ANY_SESSION: AccessNeeds = { session: true, admin: false, csrf: true, access: true }
const ANY_ADMIN: AccessNeeds = { session: false, admin: true, csrf: true, access: true }

const SPOILT: Partial<Record<MutantName, Spoilt>> = {
  'auth-sessions-by-token': { routes: () => ['GET /auth/sessions'], needs: ANY_CREDENTIAL },
  'auth-sessions-revoked-by-token': {
    routes: () => ['POST /auth/sessions/:session_id/revoke'],
    needs: ANY_CREDENTIAL,
  },
  'auth-logout-by-token': { routes: () => ['POST /auth/logout'], needs: ANY_CREDENTIAL },
  'auth-logout-all-by-token': { routes: () => ['POST /auth/logout-all'], needs: ANY_CREDENTIAL },
  'api-token-deletes': { routes: () => ['DELETE /api-tokens/:id'], needs: ANY_CREDENTIAL },
  'api-token-manages': {
    routes: () => ['GET /api-tokens', 'POST /api-tokens', 'DELETE /api-tokens/:id'],
    needs: ANY_CREDENTIAL,
  },
  'api-token-create-without-csrf': {
    routes: () => ['POST /api-tokens'],
    needs: { ...ANY_SESSION, csrf: false },
  },
  'api-token-not-everywhere': { routes: () => ['GET /referral/status'], needs: ANY_SESSION },
  'admin-mint-by-anyone': { routes: () => ['POST /tokens/mint'], needs: ANY_SESSION },
  'admin-mint-by-token': { routes: () => ['POST /tokens/mint'], needs: ANY_ADMIN },
  'admin-codes-by-anyone': { routes: () => ['GET /referral/codes'], needs: ANY_SESSION },
  'admin-codes-by-token': { routes: () => ['GET /referral/codes'], needs: ANY_ADMIN },
  'referral-redeem-by-token': {
    routes: ({ profile }) => [`POST ${profile.referral.redeemPath}`],
    needs: ANY_CREDENTIAL,
  },
  'referral-attribution-by-token': {
    routes: ({ profile }) => [`POST ${profile.referral.attributionPath}`],
    needs: ANY_CREDENTIAL,
  },
}

/** What the route of a request asks for where a mutant gets it wrong; undefined where none does. */
export function needsOfMutant(
  { method, routeOptions }: FastifyRequest,
  { mutant, choices }: { mutant: MutantName | null; choices: Choices },
): AccessNeeds | undefined {
  const spoilt = mutant ? SPOILT[mutant] : undefined
  return spoilt?.routes(choices).includes(`${method} ${routeOptions.url}`) ? spoilt.needs : undefined
}
