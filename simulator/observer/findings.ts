import type { ClientRuleId } from '../../contract/client-rules.ts'
import type { JournalEntry } from '../activity-journal.ts'
import type { Clock } from '../clock.ts'

/** A violation of a rule by a client, numbered from 1, at a time of the virtual clock. */
export type Finding = {
  number: number
  atMs: number
  rule: ClientRuleId
  client: string
  observed: string
  advice: string
  /** Entries that the journal still has. */
  evidence: readonly JournalEntry[]
}

export type Findings = {
  /** Returns false if the same was found for the same client recently. */
  add(finding: Omit<Finding, 'number' | 'atMs' | 'evidence'> & { evidence(): JournalEntry[] }): boolean
  countCase(rule: ClientRuleId): void
  /**
   * The oldest kept findings with a number above `after`, at most `limit`; the number of the last finding; and the
   * cases and violations of each rule, including repeated violations.
   */
  read(page: { after: number; limit: number }): {
    findings: readonly Finding[]
    last: number
    cases: Readonly<Record<string, number>>
    breaches: Readonly<Record<string, number>>
  }
}

export const FINDINGS_MAX = 1000
/** Interval between reports of the same rule and client. */
const REPEAT_MS = 10_000
/** Number of clients and rules remembered for that. */
const REPORTED_MAX = 2000

/** Starts without findings; counts the cases of each given rule. */
export function createFindings(options: { clock: Clock; rules: readonly ClientRuleId[] }): Findings {
  const { clock, rules } = options
  const ring: Finding[] = []
  const none = Object.fromEntries(rules.map((id) => [id, 0]))
  const cases: Record<string, number> = { ...none }
  const breaches: Record<string, number> = { ...none }
  const reportedMs = new Map<string, number>()
  let last = 0

  const isNews = (key: string): boolean => {
    const nowMs = clock.nowMs()
    const before = reportedMs.get(key)
    // The clock may have moved back.
    if (before !== undefined && nowMs >= before && nowMs - before < REPEAT_MS) return false
    if (reportedMs.size >= REPORTED_MAX) reportedMs.clear()
    reportedMs.set(key, nowMs)
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
    countCase(rule) {
      cases[rule] = (cases[rule] ?? 0) + 1
    },
    read({ after, limit }) {
      const first = Math.max(after, last - FINDINGS_MAX)
      const count = Math.max(0, Math.min(limit, last - first))
      const at = (place: number) => ring[(first + place) % FINDINGS_MAX] as Finding // as: within the kept range
      const page = Array.from({ length: count }, (_, place) => at(place))
      return { findings: page, last, cases: { ...cases }, breaches: { ...breaches } }
    },
  }
}
