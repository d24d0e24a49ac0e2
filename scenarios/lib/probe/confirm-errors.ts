import { isRepeatable } from '../../../client/retry-wait.ts'
import type { Tools } from '../../../client/time-and-chance.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { GaveUp } from '../requests/patient.ts'
import { confirmPersistence, createBusyTime } from '../requests/persistence.ts'
import { explainNotTheExchange, type Reply, withEvidence } from '../requests/reply.ts'
import type { Confirm, Credential, RequestSpec } from '../requests/request.ts'

/** A target that requests longer waits should be left alone. */
const RETRY_AFTER_MS_MAX = 5000
/** Per VU. If every request fails, only some errors are confirmed and the others stay open. */
const BUDGET_MS = 60_000
/** How long a detected outage is assumed to last; errors are not examined during it. */
const OUTAGE_MS = 15_000
const SILENT = 'no response'
/** A 429 is never an error of the exchange: nothing limits how long it may rate limit. */
const TO_WAIT = '429'

/**
 * Examines an error that outlasted a request's retries: repeats the request at intervals, with witness
 * requests in between. A persistent error becomes the response. If it disappears, the later response counts,
 * unless the request is not repeatable and may already have taken effect. Otherwise rethrows the retries'
 * error with the reason.
 */
export function createConfirm(options: {
  send: (target: Target, spec: RequestSpec) => Promise<Reply>
  /** A working credential, or undefined. */
  knownGood: (target: Target) => Promise<Credential | undefined>
  tools: Pick<Tools, 'nowMs' | 'pause'>
}): Confirm {
  const { send, tools } = options
  const confirming = createBusyTime(tools)
  const outageSince = new Map<string, number>()
  /** Routes that never respond. Waiting for each of their requests would take the whole run. */
  const silentRoutes = new Set<string>()
  /** Requests to silent routes that were confirmed, with the description. */
  const silent = new Map<string, string>()

  return async (target, spec, gaveUp) => {
    const { baseUrl } = target.profile
    const route = `${spec.method} ${spec.route ?? spec.path} ${baseUrl}`
    const request = `${spec.method} ${spec.path} ${JSON.stringify(spec.query)} ${baseUrl}`
    const error = describeError(spec, gaveUp.reply)
    if (error === undefined || error === TO_WAIT || spec.once || gaveUp.waitMs > RETRY_AFTER_MS_MAX)
      throw gaveUp
    const { reply: unanswered } = gaveUp
    const shown = error === SILENT ? silent.get(request) : undefined
    if (shown !== undefined)
      return withEvidence(unanswered, () => `${unanswered.evidence()} (persistent: before, ${shown})`)
    if (error === SILENT && silentRoutes.has(route)) throw gaveUp
    const isOutage = tools.nowMs() - (outageSince.get(baseUrl) ?? Number.NEGATIVE_INFINITY) < OUTAGE_MS
    if (isOutage || confirming.totalMs() >= BUDGET_MS) throw gaveUp

    return confirming.during(async () => {
      const witness = await createWitness({ ...options, target, spec })
      const watched = async (): Promise<WitnessResult> => {
        const saw = await witness()
        if (saw.isOutage) outageSince.set(baseUrl, tools.nowMs())
        return saw
      }
      const before = await watched()
      if (!before.served) return giveUp(gaveUp, before.explanation)
      const { outcome, last, explanation } = await confirmPersistence({
        first: gaveUp.reply,
        describeError: (reply) => describeError(spec, reply),
        again: () => send(target, spec),
        witness: watched,
        tools,
        serverWaitMs: gaveUp.waitMs,
      })
      if (outcome === 'persistent') {
        if (error === SILENT) {
          silentRoutes.add(route)
          silent.set(request, explanation)
        }
        return withEvidence(last, () => `${last.evidence()} (persistent: ${explanation})`)
      }
      // A request that was rejected in the end may have taken effect at first.
      if (outcome === 'gone' && isRepeatable(spec) && (spec.anybody || !explainNotTheExchange(last)))
        return last
      return giveUp(gaveUp, explanation)
    })
  }
}

function giveUp(gaveUp: GaveUp, why: string): never {
  gaveUp.message = `${gaveUp.message} (${why})`
  throw gaveUp
}

/** Describes the error of a reply; equal errors give equal texts. Undefined for a valid response. */
function describeError(spec: RequestSpec, reply: Reply): string | undefined {
  const { status, text, contentType } = reply
  if (spec.provokes?.includes(status)) return undefined
  if (status >= 500 || status === 429) return String(status)
  if (status === 0) return text === '' ? SILENT : `a response cut after ${text.length} characters`
  if (!spec.parsed || reply.json !== undefined) return undefined
  return /^text\/html\b/i.test(contentType)
    ? 'an HTML page instead of JSON'
    : `${text.length} characters that are not JSON`
}

/** Result of the witness requests, and whether they fail as well. */
type WitnessResult = { served: boolean; explanation: string; isOutage: boolean }

/** Reads that every exchange has, on several routes, so a witness never shares the examined route. */
const PUBLIC_READS = ['/pools', '/tokens', '/explore/pools']
const CREDENTIAL_READS = ['/access/status', '/fee-tiers', '/swaps', '/unclaimed']

/**
 * Witness requests to the same host, sent between the repeats: a public read and, for an authenticated
 * request, one with the same credential, or with another working one if that is rejected. The first call
 * selects them.
 */
function createWitness(options: {
  send: (target: Target, spec: RequestSpec) => Promise<Reply>
  /** A working credential, or undefined. */
  knownGood: (target: Target) => Promise<Credential | undefined>
  target: Target
  spec: RequestSpec
}): () => Promise<WitnessResult> {
  const { send, knownGood, target, spec } = options
  let reads: readonly RequestSpec[] | undefined

  const firstServed = async (paths: readonly string[], credential: Credential | undefined) => {
    for (const path of paths.filter((one) => one !== spec.path)) {
      const read: RequestSpec = { method: 'GET', path, credential }
      const reply = await send(target, read)
      if (isServed(reply)) return read
      // Other paths would reject the credential as well.
      if (reply.status === 401 || reply.status === 403) return undefined
    }
    return undefined
  }
  const find = async (): Promise<WitnessResult> => {
    const anybody = await firstServed(PUBLIC_READS, undefined)
    if (anybody === undefined)
      return { served: false, explanation: 'no other request is served either', isOutage: true }
    if (spec.credential === undefined) {
      reads = [anybody]
      return { served: true, explanation: describeRead(anybody), isOutage: false }
    }
    let withCredential = await firstServed(CREDENTIAL_READS, spec.credential)
    if (withCredential === undefined) {
      const other = await knownGood(target)
      if (other !== undefined) withCredential = await firstServed(CREDENTIAL_READS, other)
    }
    if (withCredential === undefined)
      return { served: false, explanation: 'no other request with a credential is served', isOutage: false }
    reads = [anybody, withCredential]
    return {
      served: true,
      explanation: reads.map((read) => describeRead(read)).join(' and '),
      isOutage: false,
    }
  }
  return async () => {
    if (reads === undefined) return await find()
    const replies = await Promise.all(reads.map(async (read) => ({ read, reply: await send(target, read) })))
    const failed = replies.find(({ reply }) => !isServed(reply))
    if (failed !== undefined) {
      const isOutage = true
      return {
        served: false,
        explanation: `a witness failed too: ${describeRead(failed.read, failed.reply)}`,
        isOutage,
      }
    }
    return {
      served: true,
      explanation: replies.map(({ read }) => describeRead(read)).join(' and '),
      isOutage: false,
    }
  }
}

function isServed({ status, json }: Reply): boolean {
  return status === 200 && json !== undefined
}

function describeRead({ path, credential }: RequestSpec, reply?: Reply): string {
  const by = credential === undefined ? '' : ' with a credential'
  return `GET ${path}${by} -> ${reply === undefined ? 200 : reply.status || 'no response'}`
}
