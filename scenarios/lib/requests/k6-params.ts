import http, { type Params } from 'k6/http'
import type { Profile } from '../../../contract/profile.ts'
import { parseRouteGroup } from '../../../contract/series.ts'
import type { Credential, RequestSpec } from './request.ts'
import { REQUEST_TIMEOUT_SECONDS } from './request-timeout.ts'

// Hot path of every load request: in a VU, allocating an object costs as much as ten statements, and
// iterating over an object's keys as much as thirty. k6 reads its parameters before the call returns, so one
// object serves all requests.

const NO_SERVER_ERROR = { min: 200, max: 499 }
const EXPECTED = http.expectedStatuses(NO_SERVER_ERROR)

const tags = { name: '', route_group: '' }
const params = {
  headers: {} as Record<string, string>,
  jar: new http.CookieJar(),
  // A redirect to another host would leak the credentials.
  redirects: 0,
  timeout: REQUEST_TIMEOUT_SECONDS * 1000,
  tags,
  responseCallback: EXPECTED,
}
const unreadParams = { ...params, responseType: 'none' as const }

/** Returns k6's request parameters. Valid until this VU's next request. */
export function k6Params(profile: Profile, spec: RequestSpec): Params {
  const { path, provokes } = spec
  tags.name = `${spec.method} ${spec.route ?? path}`
  tags.route_group = parseRouteGroup(path)
  const made = spec.unread ? unreadParams : params
  made.headers = getHeaders(profile, spec)
  // A new jar per request: parallel requests share the VU's jar, which would mix up their cookies.
  made.jar = new http.CookieJar()
  made.responseCallback =
    provokes === undefined ? EXPECTED : http.expectedStatuses(NO_SERVER_ERROR, ...provokes)
  return made
}

/** Headers of the last read, reused while the credential stays the same. */
let ofRead:
  | { profile: Profile; credential: Credential | undefined; headers: Record<string, string> }
  | undefined

function getHeaders(profile: Profile, spec: RequestSpec): Record<string, string> {
  const { method, body, headers: more, credential } = spec
  if (method !== 'GET' || body !== undefined || more !== undefined) return makeHeaders(profile, spec)
  if (ofRead === undefined || ofRead.credential !== credential || ofRead.profile !== profile) {
    ofRead = { profile, credential, headers: makeHeaders(profile, spec) }
  }
  return ofRead.headers
}

function makeHeaders(
  profile: Profile,
  { method, body, credential, headers }: RequestSpec,
): Record<string, string> {
  return {
    ...profile.headers,
    ...(profile.origin === null ? {} : { Origin: profile.origin }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(credential === undefined ? {} : credentialHeaders(credential)),
    ...(method !== 'GET' && credential !== undefined && 'csrf' in credential && credential.csrf !== undefined
      ? { 'X-CSRF-Token': credential.csrf }
      : {}),
    ...headers,
  }
}

export function credentialHeaders(credential: Credential): Record<string, string> {
  return 'bearer' in credential
    ? { Authorization: `Bearer ${credential.bearer}` }
    : { Cookie: credential.cookie }
}
