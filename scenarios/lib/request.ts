import http from 'k6/http'
import type { Target } from '../../contract/scenario-config.ts'
import { createAllowance } from './allowance.ts'
import { CannotJudge } from './cannot.ts'
import { config } from './config.ts'
import { learnCredentials } from './learn-credentials.ts'
import { learnSecrets } from './learn-secrets.ts'
import { whyNotTheExchange } from './not-the-exchange.ts'
import { requestsMaxOfVu } from './one-vu.ts'
import { pause } from './pause.ts'
import { redactor } from './redact.ts'
import { backoffMs, retryAfterMs } from './retry-after.ts'
import { vuRandom } from './vu-random.ts'
import { watch } from './watch.ts'

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

export type Cookie = { name: string; value: string; httpOnly: boolean }

export type Reply = {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  json: unknown
  /** The body as it came. */
  text: string
  contentType: string
  /** Where a redirect leads. */
  location: string | undefined
  cookies: Cookie[]
  /** What was asked and answered, in one line, for evidence. Redacted when read. */
  evidence(): string
}

/** Which 2xx a success has is stated for a few reads only. */
export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** Of this VU. */
const allowance = createAllowance({
  requestsMax: requestsMaxOfVu,
  writesRefused: config.refuses.writes,
})

const TRIES_MAX = 4
/** To try earlier than asked would be wrong, to wait for longer a run of its own. */
const WAIT_MS_MAX = 30_000
const EVIDENCE_LENGTH = 300

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

/** Sends one request, once. Status 0 means that no answer came. */
export async function send(target: Target, spec: RequestSpec): Promise<Reply> {
  const { profile } = target
  allowance.take(spec)
  const query = queryText(spec.query)
  const body = spec.body === undefined ? null : JSON.stringify(spec.body)
  const name = `${spec.method} ${spec.route ?? spec.path}`
  const response = await askOnce(spec.method, profile.baseUrl.replace(/\/$/, '') + spec.path + query, body, {
    headers: { ...requestHeaders(target, spec), ...spec.headers },
    // A jar of its own: the VU's jar is shared by parallel requests, and would mix up their cookies.
    jar: new http.CookieJar(),
    // A redirect to another host would take the credentials with it.
    redirects: 0,
    timeout: '10s',
    tags: { name, route_group: routeGroup(spec.path) },
    responseCallback: http.expectedStatuses({ min: 200, max: 499 }, ...(spec.provokes ?? [])),
  })
  const text = typeof response.body === 'string' ? response.body : ''
  const json = parseJson(text)
  const cookies = Object.values(response.cookies)
    .flat()
    .map((cookie) => ({ name: cookie.name, value: cookie.value, httpOnly: isHttpOnly(cookie) }))
  learnSecrets(redactor, { path: spec.path, json, cookies }, profile.choices)
  const headers = lowerCaseNames(response.headers)
  if (watch.on) {
    for (const token of target.apiTokens) watch.learn(token, 'an API token')
    learnCredentials(watch, { path: spec.path, json, cookies }, profile.choices)
    watch.look({ asked: name, url: spec.path + query, headers, text, json })
  }
  return {
    status: response.status,
    headers,
    json,
    text,
    contentType: headers['content-type'] ?? '',
    location: headers.location === undefined ? undefined : redactor.redact(headers.location),
    cookies,
    evidence: () => {
      const answer = response.status === 0 ? `no answer (${response.error})` : String(response.status)
      // Redacted before it is cut: half a secret is one that the redactor does not know.
      const shown = redactor.redactBody(text).slice(0, EVIDENCE_LENGTH)
      return `${redactor.redact(`${spec.method} ${spec.path}${query}`)} -> ${answer} ${shown}`
    },
  }
}

type Response = Pick<
  Awaited<ReturnType<typeof http.asyncRequest>>,
  'status' | 'error' | 'body' | 'headers' | 'cookies'
>

/** Answers that k6 has no word for, such as one of status 101, it throws: they are none. */
async function askOnce(...request: Parameters<typeof http.asyncRequest>): Promise<Response> {
  try {
    return await http.asyncRequest(...request)
  } catch (error) {
    return { status: 0, error: String(error), body: null, headers: {}, cookies: {} }
  }
}

/** At run time the field is `http_only`, whatever the type declarations call it. */
function isHttpOnly(cookie: object): boolean {
  return (cookie as { http_only?: boolean }).http_only === true
}

function requestHeaders({ profile }: Target, spec: RequestSpec): Record<string, string> {
  const headers: Record<string, string> = { ...profile.headers }
  if (profile.origin !== null) headers.Origin = profile.origin
  if (spec.body !== undefined) headers['Content-Type'] = 'application/json'
  const { credential } = spec
  if (!credential) return headers
  if ('cookie' in credential && spec.method !== 'GET' && credential.csrf !== undefined) {
    headers['X-CSRF-Token'] = credential.csrf
  }
  return { ...headers, ...credentialHeaders(credential) }
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

function queryText(query: Record<string, string> = {}): string {
  const parts = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
