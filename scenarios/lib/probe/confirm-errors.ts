import type { Tools } from '../../../client/time-and-chance.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { type GaveUp, isRepeatable } from '../requests/patient.ts'
import { confirmPersistence } from '../requests/persistence.ts'
import { type Reply, whyNotTheExchange, withEvidence } from '../requests/reply.ts'
import type { Confirm, Credential, RequestSpec } from '../requests/request.ts'

/** A target that asks for longer waits wants to be left alone. */
const TOLD_MS_MAX = 5000
/** Of a VU: of an exchange that errs everywhere, some errors are shown to persist, and the others stay open. */
const BUDGET_MS = 60_000
/** For how long an outage that was seen is believed to last: nothing is looked into then. */
const OUTAGE_MS = 15_000
const SILENT = 'no answer'
/** A 429 is no error of the exchange, however often it comes: nothing bounds for how long it may refuse. */
const TO_WAIT = '429'

/**
 * Looks into an error that outlasted the retries of a request: sent again at intervals, beside witnesses. An error that
 * persists is the exchange's answer; one that goes away gives way to the answer that came, except to a request that may have
 * been carried out before. All else throws what the retries threw, with the reason.
 */
export function createConfirm(options: {
  send: (target: Target, spec: RequestSpec) => Promise<Reply>
  /** A credential that is known to work; undefined: none is at hand. */
  knownGood: (target: Target) => Promise<Credential | undefined>
  tools: Pick<Tools, 'nowMs' | 'pause'>
}): Confirm {
  const { send, tools } = options
  let spentMs = 0
  const outageSince = new Map<string, number>()
  /** Routes that never answer: to wait for each of their requests would take the whole run. */
  const silentRoutes = new Set<string>()
  /** Requests to them that were shown to persist, and how. */
  const silent = new Map<string, string>()

  return async (target, spec, gaveUp) => {
    const { baseUrl } = target.profile
    const route = `${spec.method} ${spec.route ?? spec.path} ${baseUrl}`
    const request = `${spec.method} ${spec.path} ${JSON.stringify(spec.query)} ${baseUrl}`
    const error = errorOf(spec, gaveUp.reply)
    if (error === undefined || error === TO_WAIT || spec.once || gaveUp.toldMs > TOLD_MS_MAX) throw gaveUp
    const { reply: unanswered } = gaveUp
    const shown = error === SILENT ? silent.get(request) : undefined
    if (shown !== undefined)
      return withEvidence(unanswered, () => `${unanswered.evidence()} (persistent: before, ${shown})`)
    if (error === SILENT && silentRoutes.has(route)) throw gaveUp
    const isOutage = tools.nowMs() - (outageSince.get(baseUrl) ?? Number.NEGATIVE_INFINITY) < OUTAGE_MS
    if (isOutage || spentMs >= BUDGET_MS) throw gaveUp

    const startedMs = tools.nowMs()
    try {
      const witness = await createWitness({ ...options, target, spec })
      const watched = async (): Promise<WitnessSaw> => {
        const saw = await witness()
        if (saw.isOutage) outageSince.set(baseUrl, tools.nowMs())
        return saw
      }
      const before = await watched()
      if (!before.served) return giveUp(gaveUp, before.told)
      const { outcome, last, told } = await confirmPersistence({
        first: gaveUp.reply,
        errorOf: (reply) => errorOf(spec, reply),
        again: () => send(target, spec),
        witness: watched,
        tools,
        toldMs: gaveUp.toldMs,
      })
      if (outcome === 'persistent') {
        if (error === SILENT) {
          silentRoutes.add(route)
          silent.set(request, told)
        }
        return withEvidence(last, () => `${last.evidence()} (persistent: ${told})`)
      }
      // What was refused at last may have been carried out at first.
      if (outcome === 'gone' && isRepeatable(spec) && (spec.anybody || !whyNotTheExchange(last))) return last
      return giveUp(gaveUp, told)
    } finally {
      spentMs += tools.nowMs() - startedMs
    }
  }
}

function giveUp(gaveUp: GaveUp, why: string): never {
  gaveUp.message = `${gaveUp.message} (${why})`
  throw gaveUp
}

/** The error of a reply in words, the same for the same error; undefined where it is an answer, or asks to wait. */
function errorOf(spec: RequestSpec, reply: Reply): string | undefined {
  const { status, text, contentType } = reply
  if (spec.provokes?.includes(status)) return undefined
  if (status >= 500 || status === 429) return String(status)
  if (status === 0) return text === '' ? SILENT : `an answer cut after ${text.length} characters`
  if (!spec.parsed || reply.json !== undefined) return undefined
  return /^text\/html\b/i.test(contentType)
    ? 'an HTML page where JSON is due'
    : `${text.length} characters that are no JSON`
}

/** What the witnesses got: in words, and whether they fail as well as the request in question. */
type WitnessSaw = { served: boolean; told: string; isOutage: boolean }

/** Reads that every exchange has, on several routes: a witness is on another route than the request in question. */
const PUBLIC_READS = ['/pools', '/tokens', '/explore/pools']
const CREDENTIAL_READS = ['/access/status', '/fee-tiers', '/swaps', '/unclaimed']

/**
 * Requests to the same host that are known to be served, to be sent between the tries of another: a public one and, for a
 * request with a credential, one with the same credential, or with another that works where that one is refused. Which
 * they are is found out at the first call.
 */
function createWitness(options: {
  send: (target: Target, spec: RequestSpec) => Promise<Reply>
  /** A credential that is known to work; undefined: none is at hand. */
  knownGood: (target: Target) => Promise<Credential | undefined>
  target: Target
  spec: RequestSpec
}): () => Promise<WitnessSaw> {
  const { send, knownGood, target, spec } = options
  let reads: readonly RequestSpec[] | undefined

  const firstServed = async (paths: readonly string[], credential: Credential | undefined) => {
    for (const path of paths.filter((one) => one !== spec.path)) {
      const read: RequestSpec = { method: 'GET', path, credential }
      const reply = await send(target, read)
      if (isServed(reply)) return read
      // Another path would be refused as well.
      if (reply.status === 401 || reply.status === 403) return undefined
    }
    return undefined
  }
  const find = async (): Promise<WitnessSaw> => {
    const anybody = await firstServed(PUBLIC_READS, undefined)
    if (anybody === undefined)
      return { served: false, told: 'no other request is served either', isOutage: true }
    if (spec.credential === undefined) {
      reads = [anybody]
      return { served: true, told: told(anybody), isOutage: false }
    }
    let withCredential = await firstServed(CREDENTIAL_READS, spec.credential)
    if (withCredential === undefined) {
      const other = await knownGood(target)
      if (other !== undefined) withCredential = await firstServed(CREDENTIAL_READS, other)
    }
    if (withCredential === undefined)
      return { served: false, told: 'no other request with a credential is served', isOutage: false }
    reads = [anybody, withCredential]
    return { served: true, told: reads.map((read) => told(read)).join(' and '), isOutage: false }
  }
  return async () => {
    if (reads === undefined) return await find()
    const replies = await Promise.all(reads.map(async (read) => ({ read, reply: await send(target, read) })))
    const failed = replies.find(({ reply }) => !isServed(reply))
    if (failed !== undefined) {
      const isOutage = true
      return {
        served: false,
        told: `so it goes with a witness: ${told(failed.read, failed.reply)}`,
        isOutage,
      }
    }
    return { served: true, told: replies.map(({ read }) => told(read)).join(' and '), isOutage: false }
  }
}

function isServed({ status, json }: Reply): boolean {
  return status === 200 && json !== undefined
}

function told({ path, credential }: RequestSpec, reply?: Reply): string {
  const by = credential === undefined ? '' : ' with a credential'
  return `GET ${path}${by} -> ${reply === undefined ? 200 : reply.status || 'no answer'}`
}
