import type { OpenAPIV3_1 } from 'openapi-types'
import type { Choices } from '../../choices/choices.ts'
import { type AccessLevel, READING_METHODS } from '../access/access.ts'

type Requirement = { [scheme: string]: string[] }

export const ACCESS_TEXTS: Record<AccessLevel, string> = {
  public: 'Access: public.',
  cred: 'Access: session or API token.',
  session: 'Access: browser session only.',
  admin: 'Access: browser session of an administrator only.',
}

/** Either of these lets a request in; what a session changes takes its CSRF token, too. */
export function securityOf(access: AccessLevel, method: string): Requirement[] {
  const session: Requirement = { session: [], ...(!READING_METHODS.has(method) && { csrfToken: [] }) }
  if (access === 'public') return []
  return access === 'cred' ? [session, { apiToken: [] }] : [session]
}

/** The credentials that routes ask for, with the cookies' names of the choices. */
export function securitySchemes({
  profile: { cookies },
}: Choices): Record<string, OpenAPIV3_1.SecuritySchemeObject> {
  return {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: cookies.access,
      description: 'The access cookie, which `POST /auth/verify` sets',
    },
    refreshToken: {
      type: 'apiKey',
      in: 'cookie',
      name: cookies.refresh,
      description: 'The refresh cookie, which comes with the access cookie',
    },
    csrfToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-CSRF-Token',
      description:
        'Comes in the body with the cookies; goes with each request of a session that changes something',
    },
    apiToken: { type: 'http', scheme: 'bearer', description: 'An API token, which `POST /api-tokens` makes' },
  }
}
