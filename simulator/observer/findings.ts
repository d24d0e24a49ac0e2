import type { ClientRuleId } from '../../contract/client-rules.ts'
import type { JournalEntry } from '../activity-journal.ts'
import type { Clock } from '../clock.ts'

/** That a client breaks a rule, numbered from 1, at a time of the virtual clock. */
export type Finding = {
  number: number
  atMs: number
  rule: ClientRuleId
  client: string
  /** What was seen. */
  observed: string
  /** What to do. */
  advice: string
  /** Of the journal, as far as it still kept them. */
  evidence: readonly JournalEntry[]
}

export type Findings = {
  /** False where the same was found of the same client a short while ago. */
  add(finding: Omit<Finding, 'number' | 'atMs' | 'evidence'> & { evidence(): JournalEntry[] }): boolean
  saw(rule: ClientRuleId): void
  /**
   * The oldest that are kept with a number above `after`, at most `limit`; the number of the last of all; how often each
   * rule was at stake; and how often it was broken, also where that had just been told.
   */
  read(page: { after: number; limit: number }): {
    findings: readonly Finding[]
    last: number
    cases: Readonly<Record<string, number>>
    breaches: Readonly<Record<string, number>>
  }
}

export const FINDINGS_MAX = 1000
/** A client that goes on and on with the same is told of once in so long. */
const REPEAT_MS = 10_000
/** Clients and rules that are remembered for that. */
const TOLD_MAX = 2000

/** Nothing found; for each of the rules it is counted how often there was something to judge. */
export function createFindings(options: { clock: Clock; rules: readonly ClientRuleId[] }): Findings {
  const { clock, rules } = options
  const ring: Finding[] = []
  const none = Object.fromEntries(rules.map((id) => [id, 0]))
  const cases: Record<string, number> = { ...none }
  const breaches: Record<string, number> = { ...none }
  const toldMs = new Map<string, number>()
  let last = 0

  const isNews = (key: string): boolean => {
    const nowMs = clock.nowMs()
    const before = toldMs.get(key)
    // The clock may have been put back.
    if (before !== undefined && nowMs >= before && nowMs - before < REPEAT_MS) return false
    if (toldMs.size >= TOLD_MAX) toldMs.clear()
    toldMs.set(key, nowMs)
    return true
  }

  return {
    add({ evidence, ...finding }) {
      breaches[finding.rule] = (breaches[finding.rule] ?? 0) + 1
      if (!isNews(`${finding.rule} ${finding.client}`)) return false
      ring[last % FINDINGS_MAX] = {
        number: last + 1,
        atMs: clock.nowMs(),
        ...finding,
        evidence: evidence(),
      }
      last++
      return true
    },
    saw(rule) {
      cases[rule] = (cases[rule] ?? 0) + 1
    },
    read({ after, limit }) {
      const first = Math.max(after, last - FINDINGS_MAX)
      const count = Math.max(0, Math.min(limit, last - first))
      const at = (place: number) => ring[(first + place) % FINDINGS_MAX] as Finding // as: among those that are kept
      const page = Array.from({ length: count }, (_, place) => at(place))
      return { findings: page, last, cases: { ...cases }, breaches: { ...breaches } }
    },
  }
}
