import http from 'k6/http'
import type { Profile } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { type Allowance, createAllowance } from './allowance.ts'
import { type Asked, createPatience } from './client/patient.ts'
import { config } from './config.ts'
import { learnCredentials } from './learn-credentials.ts'
import { requestsMaxOfVu } from './one-vu.ts'
import { pause } from './pause.ts'
import { type Answer, createReply, type Reply } from './reply.ts'
import { vuRandom } from './vu-random.ts'
import { watch } from './watch.ts'

export type { Reply }

export type Credential = { bearer: string } | { cookie: string; csrf: string | undefined }

export type RequestSpec = Asked & {
  path: string
  /** The route's pattern, `/pools/{key}`; the path itself where it has no parameters. */
  route?: string
  query?: Record<string, string>
  credential?: Credential | undefined
  body?: unknown
  headers?: Record<string, string>
}

/** Which 2xx a success has is stated for a few reads only. */
export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status < 300
}

let ofThisVu: Allowance | undefined

function allowance(): Allowance {
  ofThisVu ??= createAllowance({ requestsMax: requestsMaxOfVu(), writesRefused: config.refuses.writes })
  return ofThisVu
}

/** Who follows what is sent, and how it waits then; nobody in a load, which has no time for that. */
export type Follower = {
  send(target: Target, spec: RequestSpec, once: typeof sendOnce): Promise<Reply>
  pause(ms: number): Promise<void>
}

let follower: Follower | undefined

/** From here on all requests of this VU are sent by way of the follower. */
export function followRequests(by: Follower): void {
  follower = by
}

const patiently = createPatience({
  nowMs: Date.now,
  random: vuRandom,
  pause: (ms) => (follower ?? { pause }).pause(ms),
})

/**
 * Sends one request. A 429, a 5xx or no answer at all may befall any request: it waits and tries again where that is safe,
 * within bounds, and then throws CannotJudge; so it does where what answers is not the exchange.
 */
export function request(target: Target, spec: RequestSpec): Promise<Reply> {
  return patiently(spec, () => send(target, spec))
}

// What every request of a load runs through: in a VU an object spread, a loop over an object's keys or an async function
// costs as much as twenty statements, so here are few of them.

const expected = (provoked: readonly number[]) => http.expectedStatuses({ min: 200, max: 499 }, ...provoked)
const EXPECTED = expected([])

/** Sends one request, once. Status 0 means that no answer came. */
export function send(target: Target, spec: RequestSpec): Promise<Reply> {
  return follower === undefined ? sendOnce(target, spec) : follower.send(target, spec, sendOnce)
}

async function sendOnce(target: Target, spec: RequestSpec): Promise<Reply> {
  allowance().take(spec)
  const { profile } = target
  const { method, path, body, provokes } = spec
  const { base, headers } = preparedFor(profile)
  const url = spec.query === undefined ? path : path + queryText(spec.query)
  const name = `${method} ${spec.route ?? path}`
  let answer: Answer
  try {
    answer = await http.asyncRequest(method, base + url, body === undefined ? null : JSON.stringify(body), {
      headers: requestHeaders(headers, spec),
      // A jar of its own: the VU's jar is shared by parallel requests, and would mix up their cookies.
      jar: new http.CookieJar(),
      // A redirect to another host would take the credentials with it.
      redirects: 0,
      timeout: '10s',
      tags: { name, route_group: routeGroup(path) },
      responseCallback: provokes === undefined ? EXPECTED : expected(provokes),
    })
  } catch (error) {
    // Answers that k6 has no word for, such as one of status 101, it throws: they are none.
    answer = { status: 0, error: String(error), body: null, headers: {}, cookies: {} }
  }
  const reply = createReply({ asked: `${method} ${url}`, path, answer, choices: profile.choices })
  if (watch.on) showWatch(target, { name, url, path, reply })
  return reply
}

function showWatch(
  target: Target,
  { name, url, path, reply }: { name: string; url: string; path: string; reply: Reply },
): void {
  const { headers, text, json, cookies } = reply
  for (const token of target.apiTokens) watch.learn(token, 'an API token')
  learnCredentials(watch, { path, json, cookies }, target.profile.choices)
  watch.look({ asked: name, url, headers, text, json })
}

type Prepared = {
  /** Without a slash at its end. */
  base: string
  /** What every request sends; undefined: nothing. */
  headers: Record<string, string> | undefined
}

const prepared = new Map<Profile, Prepared>()

function preparedFor(profile: Profile): Prepared {
  const known = prepared.get(profile)
  if (known !== undefined) return known
  const headers = { ...profile.headers, ...(profile.origin === null ? {} : { Origin: profile.origin }) }
  const made = {
    base: profile.baseUrl.replace(/\/$/, ''),
    headers: Object.keys(headers).length === 0 ? undefined : headers,
  }
  prepared.set(profile, made)
  return made
}

function requestHeaders(
  fixed: Prepared['headers'],
  { method, body, credential, headers: more }: RequestSpec,
): Record<string, string> {
  const headers: Record<string, string> = fixed === undefined ? {} : { ...fixed }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (credential && 'bearer' in credential) headers.Authorization = `Bearer ${credential.bearer}`
  if (credential && 'cookie' in credential) {
    headers.Cookie = credential.cookie
    if (method !== 'GET' && credential.csrf !== undefined) headers['X-CSRF-Token'] = credential.csrf
  }
  return more === undefined ? headers : { ...headers, ...more }
}

/** What makes REST serve a read. */
export function credentialHeaders(credential: Credential): Record<string, string> {
  return 'bearer' in credential
    ? { Authorization: `Bearer ${credential.bearer}` }
    : { Cookie: credential.cookie }
}

/** The tag by which latency is judged: the first part of the path. */
function routeGroup(path: string): string {
  return path.split('/')[1] ?? 'other'
}

function queryText(query: Record<string, string>): string {
  let text = ''
  for (const name in query) {
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(query[name] ?? '')}`
  }
  return text
}
