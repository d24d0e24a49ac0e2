import http from 'k6/http'
import type { Profile } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { type Allowance, createAllowance } from './allowance.ts'
import { CannotJudge } from './cannot.ts'
import { config } from './config.ts'
import { learnCredentials } from './learn-credentials.ts'
import { whyNotTheExchange } from './not-the-exchange.ts'
import { requestsMaxOfVu } from './one-vu.ts'
import { pause } from './pause.ts'
import { type Answer, createReply, type Reply } from './reply.ts'
import { backoffMs, retryAfterMs } from './retry-after.ts'
import { vuRandom } from './vu-random.ts'
import { watch } from './watch.ts'

export type { Reply }

export type Credential = { bearer: string } | { cookie: string; csrf: string | undefined }

export type RequestSpec = {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** The route's pattern, `/pools/{key}`; the path itself where it has no parameters. */
  route?: string
  query?: Record<string, string>
  credential?: Credential | undefined
  body?: unknown
  headers?: Record<string, string>
  /** Statuses of 429 and 5xx that the probe provokes: they are answers here, not passing trouble. */
  provokes?: readonly number[]
  /** Doing it twice does no harm, though it is no GET. */
  repeatable?: true
  /** Takes the answer from whomever it comes: a redirect and a page of HTML too. */
  anybody?: true
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

const TRIES_MAX = 4
/** To try earlier than asked would be wrong, to wait for longer a run of its own. */
const WAIT_MS_MAX = 30_000

/** Requests in a row that nobody answered: a target that is silent is not waited for again and again. */
let silences = 0
const SILENCES_MAX = 3

/**
 * Sends one request. A 429, a 5xx or no answer at all may befall any request: it waits and tries again where that is safe,
 * within bounds, and then throws CannotJudge; so it does where what answers is not the exchange.
 */
export async function request(target: Target, spec: RequestSpec): Promise<Reply> {
  for (let attempt = 0; ; attempt++) {
    const reply = await send(target, spec)
    // What was answered with 429 was not done; after a 5xx or silence it may have been, and doing it twice is another thing.
    const passing = reply.status === 429 || reply.status === 0 || reply.status >= 500
    const repeatable = spec.method === 'GET' || spec.repeatable || reply.status === 429
    silences = reply.status === 0 ? silences + 1 : 0
    if (!passing || spec.provokes?.includes(reply.status)) {
      const why = spec.anybody ? undefined : whyNotTheExchange(reply)
      if (why !== undefined) throw new CannotJudge(`${why}: ${reply.evidence()}`)
      return reply
    }
    if (attempt + 1 === TRIES_MAX || !repeatable || silences >= SILENCES_MAX) {
      throw new CannotJudge(`after ${attempt + 1} tries: ${reply.evidence()}`)
    }
    const wait = retryAfterMs({
      retryAfter: reply.headers['retry-after'],
      date: reply.headers.date,
      nowMs: Date.now(),
    })
    if (wait !== undefined && wait > WAIT_MS_MAX)
      throw new CannotJudge(`asked to wait for ${Math.ceil(wait / 1000)} s: ${reply.evidence()}`)
    await pause(wait ?? backoffMs({ attempt, random: vuRandom }))
  }
}

// What every request of a load runs through: in a VU an object spread, a loop over an object's keys or an async function
// costs as much as twenty statements, so here are few of them.

const expected = (provoked: readonly number[]) => http.expectedStatuses({ min: 200, max: 499 }, ...provoked)
const EXPECTED = expected([])

/** Sends one request, once. Status 0 means that no answer came. */
export async function send(target: Target, spec: RequestSpec): Promise<Reply> {
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
