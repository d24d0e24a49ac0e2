import { sleep } from 'k6'
import http from 'k6/http'
import { attemptUntilFinal } from '../../../client/retry-wait.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import { vuRandom } from '../duties/k6-tools.ts'
import { pause } from '../time/pause.ts'
import { type Allowance, type Budget, createAllowance, type Share } from './allowance.ts'
import { k6Params } from './k6-params.ts'
import { createRetryPolicy, GaveUp, type RetryPolicy, type RetryTraits } from './patient.ts'
import { createReply, type K6Response, type Reply, replyObserver } from './reply.ts'

type RequestLimit = { share: Share; budget: Budget }

let limit: (() => RequestLimit | null) | undefined

/** Sets the source of this VU's request limit. Injected, because most VUs do not need that code. */
export function limitRequests(getVuLimit: () => RequestLimit | null): void {
  limit = getVuLimit
}

/**
 * Returns this VU's limit, or null if requests are unlimited. Throws if they are limited and no source was
 * set.
 */
function requestLimit(): RequestLimit | null {
  if (config.requestsMax === null) return null
  if (limit === undefined)
    throw new Error('requests are limited, but this VU has no limit: call limitRequests first')
  return limit()
}

export type { Reply }

export type Credential = { bearer: string } | { cookie: string; csrf: string | undefined }

export type RequestSpec = RetryTraits & {
  path: string
  /** Route pattern such as `/pools/{key}`; defaults to the path. */
  route?: string
  query?: Record<string, string>
  credential?: Credential | undefined
  body?: unknown
  headers?: Record<string, string>
  /** Receives the body without keeping it. */
  unread?: true
  /** Treats a body that does not parse as an error. */
  parsed?: true
}

/** Any 2xx: the specification names the exact status for only a few reads. */
export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status < 300
}

/**
 * A 5xx or no response. In probes, `request` returns such a reply only if it persists or the request
 * `provokes` it.
 */
export function isError({ status }: Pick<Reply, 'status'>): boolean {
  return status === 0 || status >= 500
}

let ofThisVu: Allowance | undefined

function allowance(): Allowance {
  ofThisVu ??= createAllowance({ limit: requestLimit(), writesRefused: config.refuses.writes })
  return ofThisVu
}

/** Throws CannotJudge if the run may not send `count` more requests. */
export function mustBeLeft(count: number, what: string): void {
  allowance().mustBeLeft(count, what)
}

/** Records requests and replaces waits. Unset in load tests, for speed. */
export type Follower = {
  send(target: Target, spec: RequestSpec, once: typeof sendOnce): Promise<Reply>
  pause(ms: number): Promise<void>
}

let follower: Follower | undefined

export function followRequests(by: Follower): void {
  follower = by
}

/** Examines an error that outlasted the retries: returns the reply if the error persists, else throws. */
export type Confirm = (target: Target, spec: RequestSpec, gaveUp: GaveUp) => Promise<Reply>

let confirm: Confirm | undefined

/** Makes `request` return persistent errors as replies in this VU. For probes; too slow for a load. */
export function confirmErrors(by: Confirm): void {
  confirm = by
}

const waitAfter = createRetryPolicy({ nowMs: Date.now, random: vuRandom })

/**
 * Sends a request and retries a 429, a 5xx or a missing response within bounds, if that is safe. Then throws
 * CannotJudge, as it does if another server responds. In probes, a persistent error is returned as the reply
 * (a 5xx, or status 0), with attempts and witnesses in its evidence.
 */
export function request(target: Target, spec: RequestSpec): Promise<Reply> {
  const requested =
    follower === undefined ? exchange(target, spec, waitAfter) : patiently(follower, target, spec)
  return confirm === undefined
    ? requested
    : requested.catch((error: unknown) => orPersistent(target, spec, error))
}

/** Returns the reply that caused the error if it persists. Otherwise rethrows the error. */
export function orPersistent(target: Target, spec: RequestSpec, error: unknown): Promise<Reply> {
  return confirm !== undefined && error instanceof GaveUp
    ? confirm(target, spec, error)
    : Promise.reject(error)
}

/** Sends one request without retries. Status 0 means no response. */
export function send(target: Target, spec: RequestSpec): Promise<Reply> {
  return follower === undefined ? sendOnce(target, spec) : follower.send(target, spec, sendOnce)
}

/**
 * Like request, but blocks the VU until the response arrives, which saves a third of the cost. For clients
 * that do nothing else at the same time: no socket, timer or parallel request.
 */
export function requestAlone(target: Target, spec: RequestSpec): Reply {
  for (let attempt = 0; ; attempt++) {
    const reply = sendAlone(target, spec)
    const waitMs = waitAfter(spec, reply, attempt)
    if (waitMs === undefined) return reply
    sleep(waitMs / 1000)
  }
}

/** Like requestAlone, without retries. Status 0 means no response. */
export function sendAlone(target: Target, spec: RequestSpec): Reply {
  allowance().take(spec)
  const address = buildPath(spec)
  let response: K6Response
  try {
    response = http.request(
      spec.method,
      getBaseUrl(target) + address,
      serializeBody(spec),
      k6Params(target.profile, spec),
    )
  } catch (error) {
    response = emptyResponse(error)
  }
  return replyTo(target, spec, address, response)
}

function sendOnce(target: Target, spec: RequestSpec): Promise<Reply> {
  return exchange(target, spec, undefined)
}

/**
 * Sends once, or as often as the policy allows. One function for both, because each additional async function
 * costs a VU 5 µs per request.
 */
async function exchange(target: Target, spec: RequestSpec, policy: RetryPolicy | undefined): Promise<Reply> {
  for (let attempt = 0; ; attempt++) {
    allowance().take(spec)
    const address = buildPath(spec)
    let response: K6Response
    try {
      response = await http.asyncRequest(
        spec.method,
        getBaseUrl(target) + address,
        serializeBody(spec),
        k6Params(target.profile, spec),
      )
    } catch (error) {
      response = emptyResponse(error)
    }
    const reply = replyTo(target, spec, address, response)
    const waitMs = policy?.(spec, reply, attempt)
    if (waitMs === undefined) return reply
    await pause(waitMs)
  }
}

function patiently(by: Follower, target: Target, spec: RequestSpec): Promise<Reply> {
  return attemptUntilFinal(() => by.send(target, spec, sendOnce), {
    waitAfter: (reply, attempt) => waitAfter(spec, reply, attempt),
    pause: by.pause,
  })
}

/** Strips a trailing slash. */
function getBaseUrl({ profile: { baseUrl } }: Target): string {
  return baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl
}

export function buildPath({ path, query }: RequestSpec): string {
  return query === undefined ? path : path + queryText(query)
}

function serializeBody({ body }: RequestSpec): string | null {
  return body === undefined ? null : JSON.stringify(body)
}

/** k6 throws on responses that it cannot represent, such as status 101; they count as no response. */
function emptyResponse(error: unknown): K6Response {
  return { status: 0, error: String(error), body: null, headers: {}, cookies: {} }
}

function replyTo(target: Target, spec: RequestSpec, address: string, response: K6Response): Reply {
  const { method, path } = spec
  const reply = createReply(`${method} ${address}`, path, response, target.profile)
  if (replyObserver.check !== undefined) replyObserver.check(target, spec, reply)
  return reply
}

function queryText(query: Record<string, string>): string {
  const names = Object.keys(query)
  let text = ''
  // Indexed loop: in k6, starting a for-of loop costs more than all iterations here.
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? ''
    text += `${index === 0 ? '?' : '&'}${name}=${encodeURIComponent(query[name] ?? '')}`
  }
  return text
}
