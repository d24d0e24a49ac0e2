import http, { type Params } from 'k6/http'
import { bound } from 'k6/x/breakwater/bounds'
import type { Profile } from '../../../contract/profile.ts'
import { RESPONSE_BOUNDS } from '../../../contract/response-bounds.ts'
import { routeGroupOf } from '../../../contract/series.ts'
import type { Credential, RequestSpec } from './request.ts'

// What every request of a load runs through: in a VU an object that is made costs as much as ten statements, a loop over
// an object's keys as thirty. k6 reads its parameters before the call returns, so one object serves all requests.

const NO_SERVER_ERROR = { min: 200, max: 499 }
const EXPECTED = http.expectedStatuses(NO_SERVER_ERROR)

const tags = { name: '', route_group: '' }
const params = {
  headers: {} as Record<string, string>,
  jar: new http.CookieJar(),
  // A redirect to another host would take the credentials with it.
  redirects: 0,
  timeout: 10_000,
  tags,
  responseCallback: EXPECTED,
}
const unreadParams = { ...params, responseType: 'none' as const }

/** What k6 is told beside the address: valid until the next request of this VU is made. */
export function k6Params(profile: Profile, spec: RequestSpec): Params {
  const { path, provokes } = spec
  tags.name = `${spec.method} ${spec.route ?? path}`
  tags.route_group = routeGroupOf(path)
  const made = spec.unread ? unreadParams : params
  made.headers = headersOf(profile, spec)
  // A jar of its own: the VU's jar is shared by parallel requests, and would mix up their cookies.
  made.jar = new http.CookieJar()
  made.responseCallback =
    provokes === undefined ? EXPECTED : http.expectedStatuses(NO_SERVER_ERROR, ...provokes)
  return made
}

/** Of the read before: those of the next are the same, where the credential is. */
let ofRead:
  | { profile: Profile; credential: Credential | undefined; headers: Record<string, string> }
  | undefined

function headersOf(profile: Profile, spec: RequestSpec): Record<string, string> {
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

/** What makes REST serve a read. */
export function credentialHeaders(credential: Credential): Record<string, string> {
  return 'bearer' in credential
    ? { Authorization: `Bearer ${credential.bearer}` }
    : { Cookie: credential.cookie }
}

/**
 * Keeps targets from taking this VU's memory or time. To be called before anything is sent: k6 has its means to send only once a VU
 * runs, so that no module can do it when it is loaded.
 */
export function boundVu(): void {
  bound(RESPONSE_BOUNDS)
}
