import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Auth, Credential } from '../../auth/auth.ts'
import { matchesDigest } from '../../auth/secret.ts'
import type { Choices } from '../../choices/choices.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import { Refusal } from '../errors.ts'

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
function needsOfMutant(
  { method, routeOptions }: FastifyRequest,
  { mutant, choices }: { mutant: MutantName | null; choices: Choices },
): AccessNeeds | undefined {
  const spoilt = mutant ? SPOILT[mutant] : undefined
  return spoilt?.routes(choices).includes(`${method} ${routeOptions.url}`) ? spoilt.needs : undefined
}

/** cred: session cookie or API token; session: only that; admin: an administrator's (specification, Endpoints). */
export type AccessLevel = 'public' | 'cred' | 'session' | 'admin'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route that names none takes a session. */
    access?: AccessLevel
    /** Serves wallets without access too: those who ask whether they have it, or for it. */
    servesWithoutAccess?: true
  }
  interface FastifyRequest {
    credential: Credential | 'missing' | 'invalid'
  }
}

type GuardOptions = { auth: Auth; choices: Choices; mutant: MutantName | null }

/**
 * Finds out who asks as the request arrives (the rate limit counts by it), and enforces the access level of the route
 * before the body is read: 401, then 403, then 400.
 */
export function guardAccess(app: FastifyInstance, options: GuardOptions): void {
  const { auth, choices, mutant } = options
  app.decorateRequest('credential', 'missing')
  app.addHook('onRequest', (request, _reply, done) => {
    request.credential = identify(request, { auth, choices })
    done()
  })
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const { access = 'session', servesWithoutAccess } = request.routeOptions.config
    if (!request.is404 && access !== 'public') {
      const { kind, address } = requireCredential(request)
      const needs = { ...(needsOfMutant(request, options) ?? NEEDS[access]), ...request.deviatingNeeds }
      const mayEnter = kind === 'session' || !needs.session
      if (needs.admin && !(mayEnter && auth.isAdmin(address))) throw new Refusal('admin_required')
      if (needs.access && !servesWithoutAccess && !auth.hasAccess(address))
        throw new Refusal('access_required')
      if (needs.access && !servesWithoutAccess && !auth.hasAcceptedTerms(address))
        throw new Refusal('access_required', {
          detail: 'it has not accepted the current terms of use: sign in again',
        })
      if (!mayEnter) throw new Refusal('session_required')
      if (needs.csrf && mutant !== 'auth-csrf-ignored') requireCsrfToken(request, auth)
      if (mutant === 'auth-csrf-refused' && request.routeOptions.url === '/auth/logout-all')
        throw new Refusal('csrf_required')
    }
    done()
  })
}

const NEEDS: Record<Exclude<AccessLevel, 'public'>, AccessNeeds> = {
  cred: { session: false, admin: false, csrf: true, access: true },
  session: { session: true, admin: false, csrf: true, access: true },
  admin: { session: true, admin: true, csrf: true, access: true },
}

/** The caller of a route that is not public. */
export function requireCredential(request: FastifyRequest): Credential {
  if (request.credential === 'missing') throw new Refusal('credentials_missing')
  if (request.credential === 'invalid') throw new Refusal('credentials_invalid')
  return request.credential
}

/** An Authorization header goes before cookies: who sends one means it. */
function identify(
  request: FastifyRequest,
  { auth, choices }: Pick<GuardOptions, 'auth' | 'choices'>,
): Credential | 'missing' | 'invalid' {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const secret = /^Bearer (\S+)$/i.exec(authorization)?.[1]
    const token = secret === undefined ? undefined : auth.apiTokens.bySecret(secret)
    return token ? { kind: 'api-token', id: token.id, address: token.address } : 'invalid'
  }
  const accessToken = request.cookies[choices.profile.cookies.access]
  if (accessToken === undefined) return 'missing'
  const session = auth.sessions.byAccessToken(accessToken)
  return session ? { kind: 'session', id: session.id, address: session.address } : 'invalid'
}

/** Methods that change nothing, and so need no CSRF token. */
export const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Public routes are free of it: sign-in has no CSRF token yet, and refresh is guarded by the SameSite of its cookie. */
function requireCsrfToken(request: FastifyRequest, auth: Auth): void {
  const { credential } = request
  if (READING_METHODS.has(request.method) || typeof credential === 'string' || credential.kind !== 'session')
    return
  const token = request.headers['x-csrf-token']
  const session = auth.sessions.byId(credential.id)
  if (typeof token !== 'string' || !session || !matchesDigest(token, session.csrfDigest)) {
    throw new Refusal('csrf_required')
  }
}
