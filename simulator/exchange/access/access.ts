import type { FastifyRequest } from 'fastify'
import type { Auth, Credential } from '../../auth/auth.ts'
import { matchesDigest } from '../../auth/secret.ts'
import type { Choices } from '../../choices/choices.ts'
import { Refusal } from '../errors.ts'

/** Requirements beyond a valid credential: a browser's session, an administrator, the CSRF token, a wallet with access. */
export type AccessNeeds = { session: boolean; admin: boolean; csrf: boolean; access: boolean }

/** cred: session cookie or API token; session: session cookie only; admin: an administrator's session (specification, Endpoints). */
export type AccessLevel = 'public' | 'cred' | 'session' | 'admin'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: AccessLevel
    /** Serves wallets without access too: to check or obtain access, and to end sessions. */
    servesWithoutAccess?: true
  }
}

/** Enforces the route's access level: 401, then 403, before the body is validated with 400. */
export function admit(request: FastifyRequest, auth: Auth): void {
  const { access = 'session', servesWithoutAccess } = request.routeOptions.config
  if (request.is404 || access === 'public') return
  const { kind, address } = requireCredential(request)
  const needs = { ...NEEDS[access], ...request.otherNeeds }
  const mayEnter = kind === 'session' || !needs.session
  if (needs.admin && !(mayEnter && auth.isAdmin(address))) throw new Refusal('admin_required')
  if (needs.access && !servesWithoutAccess && !auth.hasAccess(address)) throw new Refusal('access_required')
  if (needs.access && !servesWithoutAccess && !auth.hasAcceptedTerms(address))
    throw new Refusal('access_required', {
      detail: 'it has not accepted the current terms of use: sign in again',
    })
  if (!mayEnter) throw new Refusal('session_required')
  if (needs.csrf) requireCsrfToken(request, auth)
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

/** An Authorization header takes precedence over cookies: the client sent it on purpose. */
export function identify(
  request: FastifyRequest,
  { auth, choices }: { auth: Auth; choices: Choices },
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

/** Methods without side effects, which need no CSRF token. */
export const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Skips public routes: sign-in has no CSRF token yet, and the cookie's SameSite guards refresh. */
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
