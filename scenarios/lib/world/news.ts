import http from 'k6/http'
import { clearInterval, setInterval } from 'k6/timers'
import type { Target } from '../../../contract/scenario-config.ts'
import { world } from '../config.ts'
import { settleFeeds } from '../feed/feed.ts'
import { pickRows, pickText } from '../pick.ts'
import { formatLine, redactor } from '../redact.ts'
import { type Credential, followRequests, type Reply, type RequestSpec } from '../requests/request.ts'
import { hasControl } from '../time/has-control.ts'
import { pause } from '../time/pause.ts'
import { caseMs, EXCHANGE, isOrdered, isRacing, isRecording, recordEntry } from '../timeline.ts'
import { CannotJudge } from '../verdict/judge.ts'
import { elapse } from './control.ts'

type Row = Record<string, unknown>

/** A numbered list of the control API, read incrementally. */
type NewsList = { path: string; rows: string; lastNumber: number; isThere: boolean }

const journal: NewsList = { path: '/journal?kind=fault&', rows: 'entries', lastNumber: 0, isThere: true }
const findings: NewsList = { path: '/findings?', rows: 'findings', lastNumber: 0, isThere: true }
const PAGE = 1000

let underWay: Promise<void> = Promise.resolve()

/**
 * Copies to the timeline what only the stub knows: triggered faults and findings of its observer. Serializes
 * the reads.
 */
export function recordNews(target: Target): Promise<void> {
  if (!isRecording || !hasControl(target)) return Promise.resolve()
  underWay = underWay.then(() => readNews(target))
  return underWay
}

async function readNews(target: Target): Promise<void> {
  for (const { triggered, fault, on, atMs } of await readNew(target, journal)) {
    const at = { atMs: Number(atMs) - zeroMs }
    if (triggered === true) recordEntry({ actor: EXCHANGE }, 'fault', `${fault} affects ${on}`, at)
  }
  for (const { rule, client, observed, advice, atMs } of await readNew(target, findings)) {
    const text = [`${client}: ${observed}`, ...(typeof advice === 'string' ? [advice] : [])].join('; ')
    recordEntry({ actor: EXCHANGE }, 'finding', text, {
      rule: String(rule),
      atMs: Number(atMs) - zeroMs,
    })
  }
}

const POLL_MS = 500

/** Polls while time runs by itself. */
export function followNews(target: Target): { stop(): void } {
  const timer = setInterval(() => void recordNews(target), POLL_MS)
  return { stop: () => clearInterval(timer) }
}

/** Start of the case on the target's clock, epoch ms. */
let zeroMs = 0

/** Skips entries from before the case. */
export async function beginNews(target: Target): Promise<void> {
  if (!hasControl(target)) return
  const body = JSON.stringify({ ms: 0 })
  const clock = await callControl(target, { method: 'POST', path: '/clock/advance', body })
  zeroMs = Number(pickText(clock, 'nowMs')) - caseMs()
  await readNew(target, journal)
  await readNew(target, findings)
}

/** Reads all entries since the last call. Disables a list that the control API does not have. */
async function readNew(target: Target, list: NewsList): Promise<Row[]> {
  const news: Row[] = []
  while (list.isThere) {
    const path = `${list.path}after=${list.lastNumber}&limit=${PAGE}`
    const page = await callControl(target, { method: 'GET', path }).catch(() => undefined)
    const rows = pickRows(page, list.rows)
    list.isThere = rows !== undefined
    for (const row of rows ?? []) {
      list.lastNumber = Number(pickText(row, 'number') ?? list.lastNumber)
      news.push(row)
    }
    if (rows === undefined || rows.length < PAGE) break
  }
  return news
}

/** Calls the stub's control API. Its errors never fail a rule. */
export async function callControl(
  target: Target,
  { method, path, body = null }: { method: 'GET' | 'POST'; path: string; body?: string | null },
): Promise<unknown> {
  const name = `${method} ${path.replace(/\?.*/, '')}`
  const response = await http.asyncRequest(method, `${target.profile.control}${path}`, body, {
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${target.controlToken}` },
    jar: new http.CookieJar(),
    tags: { name, route_group: 'control-api' },
  })
  if (response.status !== 200) {
    throw new CannotJudge(`the control API rejected ${name}: ${response.status} ${response.body}`)
  }
  // Not response.json(), which loses the key order that the timeline prints.
  return JSON.parse(String(response.body))
}

/**
 * Waits until pending messages have arrived, so the timeline lists them before the next action. Does nothing
 * during races or in real time.
 */
export async function quiet(target: Target): Promise<void> {
  if (!isOrdered || isRacing()) return
  await settleFeeds()
  await recordNews(target)
}

/** Records each request and response in the timeline, and waits by the clock of the case. */
export function recordRequests(): void {
  followRequests({
    async send(target, spec, once) {
      await quiet(target)
      recordEntry(target, 'sent', describeRequest(spec))
      const reply = await once(target, spec)
      await quiet(target)
      recordEntry(target, 'received', describeReply(reply))
      return reply
    },
    pause: wait,
  })
}

function describeRequest({ method, path, query = {}, credential, body }: RequestSpec): string {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  const url = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
  const text = body === undefined ? '' : ` ${redactor.redactBody(JSON.stringify(body))}`
  return formatLine(`${method} ${redactor.redact(url)}${credentialText(credential)}${text}`)
}

function credentialText(credential: Credential | undefined): string {
  if (credential === undefined) return ''
  return 'bearer' in credential ? ' (API token)' : ' (session)'
}

function describeReply(reply: Reply): string {
  const { status, headers, cookies, text } = reply
  if (status === 0) return formatLine(reply.evidence().replace(/^.* -> /, ''))
  const wait = headers['retry-after']
  const facts = [
    String(status),
    ...(wait === undefined ? [] : [`Retry-After ${wait}`]),
    // Sorted, because k6 has no cookie order.
    ...cookies.map(({ name, value }) => (value === '' ? `clears ${name}` : `sets ${name}`)).sort(),
  ]
  return formatLine(`${facts.join(', ')} ${redactor.redactBody(text)}`.trim())
}

/** Like `pause`, but moves the clock in manual pace. */
async function wait(ms: number): Promise<void> {
  if (isOrdered) await elapse(world('main'), ms)
  else await pause(ms)
}
