import { sleep } from 'k6'
import http from 'k6/http'
import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import { vuRandom } from '../duties/k6-tools.ts'
import { pause } from '../time/pause.ts'
import { type Allowance, type Budget, createAllowance, type Share } from './allowance.ts'
import { boundVu, k6Params } from './k6-params.ts'
import { type Asked, createRetryPolicy, GaveUp, type RetryPolicy } from './patient.ts'
import { type Answer, createReply, onlooker, type Reply } from './reply.ts'

type RequestLimit = { share: Share; budget: Budget }

let limit: (() => RequestLimit | null) | undefined

/** Says what this VU draws its requests from: whatever makes VUs knows. Apart from that, as most VUs need none of it. */
export function limitRequests(limitOfVu: () => RequestLimit | null): void {
  limit = limitOfVu
}

/** What bounds the requests of this VU; null: nothing does. Throws if requests are bounded and no one said how. */
function requestLimit(): RequestLimit | null {
  if (config.requestsMax === null) return null
  if (limit === undefined) throw new Error('requests are bounded, and this VU has no share of them')
  return limit()
}

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
  /** Nobody reads the body: it is received, and not kept. */
  unread?: true
  /** A body that does not parse is an error as well. */
  parsed?: true
}

/** Which 2xx a success has is stated for a few reads only. */
export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** A 5xx, or no answer: to a probe, `request` returns one only where it persists, except those that it `provokes`. */
export function isError({ status }: Pick<Reply, 'status'>): boolean {
  return status === 0 || status >= 500
}

let ofThisVu: Allowance | undefined

function allowance(): Allowance {
  if (ofThisVu === undefined) {
    boundVu()
    ofThisVu = createAllowance({ limit: requestLimit(), writesRefused: config.refuses.writes })
  }
  return ofThisVu
}

/** For what takes many requests: throws CannotJudge if the run may not send so many more. */
export function mustBeLeft(count: number, what: string): void {
  allowance().mustBeLeft(count, what)
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

/** Who looks into an error that outlasted the retries: returns the reply where the error persists, else throws. */
export type Confirm = (target: Target, spec: RequestSpec, gaveUp: GaveUp) => Promise<Reply>

let confirm: Confirm | undefined

/** From here on `request` of this VU returns errors that persist as answers. Probes have it; a load has no time for it. */
export function confirmErrors(by: Confirm): void {
  confirm = by
}

const waitAfter = createRetryPolicy({ nowMs: Date.now, random: vuRandom })

/**
 * Sends one request. A 429, a 5xx or no answer at all may befall any request: it waits and tries again where that is safe,
 * within bounds, and then throws CannotJudge; so it does where what answers is not the exchange. For probes, an error that
 * does not go away is the exchange's answer: a 5xx, or status 0, with the tries and witnesses in its evidence.
 */
export function request(target: Target, spec: RequestSpec): Promise<Reply> {
  const asked = follower === undefined ? exchange(target, spec, waitAfter) : patiently(follower, target, spec)
  return confirm === undefined ? asked : asked.catch((error: unknown) => orPersistent(target, spec, error))
}

/** The reply that gave rise to the error, where it persists. Throws the error where it does not, or nobody looks into it. */
export function orPersistent(target: Target, spec: RequestSpec, error: unknown): Promise<Reply> {
  return confirm !== undefined && error instanceof GaveUp
    ? confirm(target, spec, error)
    : Promise.reject(error)
}

/** Sends one request, once. Status 0 means that no answer came. */
export function send(target: Target, spec: RequestSpec): Promise<Reply> {
  return follower === undefined ? sendOnce(target, spec) : follower.send(target, spec, sendOnce)
}

/**
 * As request, but the VU stands still until the answer is there, which saves a third of what a request costs. For clients of
 * which nothing else goes on meanwhile: no socket, no timer, no other request.
 */
export function requestAlone(target: Target, spec: RequestSpec): Reply {
  for (let attempt = 0; ; attempt++) {
    const reply = sendAlone(target, spec)
    const waitMs = waitAfter(spec, reply, attempt)
    if (waitMs === undefined) return reply
    sleep(waitMs / 1000)
  }
}

/** As requestAlone, once. Status 0 means that no answer came. */
export function sendAlone(target: Target, spec: RequestSpec): Reply {
  allowance().take(spec)
  const address = addressOf(spec)
  let answer: Answer
  try {
    answer = http.request(spec.method, baseOf(target) + address, bodyOf(spec), k6Params(target.profile, spec))
  } catch (error) {
    answer = noAnswer(error)
  }
  return replyTo(target, spec, address, answer)
}

function sendOnce(target: Target, spec: RequestSpec): Promise<Reply> {
  return exchange(target, spec, undefined)
}

/** Once, or as often as the policy says. One function for both, as each async one more costs a VU 5 µs a request. */
async function exchange(target: Target, spec: RequestSpec, policy: RetryPolicy | undefined): Promise<Reply> {
  for (let attempt = 0; ; attempt++) {
    allowance().take(spec)
    const address = addressOf(spec)
    let answer: Answer
    try {
      answer = await http.asyncRequest(
        spec.method,
        baseOf(target) + address,
        bodyOf(spec),
        k6Params(target.profile, spec),
      )
    } catch (error) {
      answer = noAnswer(error)
    }
    const reply = replyTo(target, spec, address, answer)
    const waitMs = policy?.(spec, reply, attempt)
    if (waitMs === undefined) return reply
    await pause(waitMs)
  }
}

async function patiently(by: Follower, target: Target, spec: RequestSpec): Promise<Reply> {
  for (let attempt = 0; ; attempt++) {
    const reply = await by.send(target, spec, sendOnce)
    const waitMs = waitAfter(spec, reply, attempt)
    if (waitMs === undefined) return reply
    await by.pause(waitMs)
  }
}

/** Without a slash at its end. */
function baseOf({ profile: { baseUrl } }: Target): string {
  return baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl
}

/** What comes after the base: the path, and the query. */
export function addressOf({ path, query }: RequestSpec): string {
  return query === undefined ? path : path + queryText(query)
}

function bodyOf({ body }: RequestSpec): string | null {
  return body === undefined ? null : JSON.stringify(body)
}

/** Answers that k6 has no word for, such as one of status 101, it throws: they are none. */
function noAnswer(error: unknown): Answer {
  return { status: 0, error: String(error), body: null, headers: {}, cookies: {} }
}

function replyTo(target: Target, spec: RequestSpec, address: string, answer: Answer): Reply {
  const { method, path } = spec
  const reply = createReply(`${method} ${address}`, path, answer, target.profile)
  if (onlooker.look !== undefined) onlooker.look(target, spec, reply)
  return reply
}

function queryText(query: Record<string, string>): string {
  const names = Object.keys(query)
  let text = ''
  // By index: to begin a loop over values costs more than going through all of these.
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? ''
    text += `${index === 0 ? '?' : '&'}${name}=${encodeURIComponent(query[name] ?? '')}`
  }
  return text
}
