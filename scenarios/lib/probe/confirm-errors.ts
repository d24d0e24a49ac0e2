import type { Target } from '../../../contract/scenario-config.ts'
import { confirmPersistence } from '../confirm/persistence.ts'
import type { Tools } from '../duties/tools.ts'
import { type GaveUp, isRepeatable } from '../requests/patient.ts'
import { type Reply, withEvidence } from '../requests/reply.ts'
import type { Confirm, Credential, RequestSpec } from '../requests/request.ts'
import { createWitness, type WitnessSaw } from '../requests/witness.ts'
import { whyNotTheExchange } from '../verdict/not-the-exchange.ts'

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
