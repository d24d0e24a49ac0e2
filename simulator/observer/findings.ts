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

/** How often the situation of a rule arose, and how often clients handled it right, or violated the rule. */
export type DutyCounts = { situations: number; handled: number; violations: number }

/** A rule whose situation did not arise, or was never seen to its end, has not passed. */
export function judgeDuty({ handled, violations }: DutyCounts): 'fail' | 'pass' | 'not exercised' {
  if (violations > 0) return 'fail'
  return handled > 0 ? 'pass' : 'not exercised'
}

export type Findings = {
  /** Returns false if the same was found for the same client recently. */
  add(finding: Omit<Finding, 'number' | 'atMs' | 'evidence'> & { evidence(): JournalEntry[] }): boolean
  /** Counts a situation. */
  begin(rule: ClientRuleId): void
  /** Counts a situation that was handled right, as this journal entry shows. */
  handle(rule: ClientRuleId, entry: number): void
  /** The last one that was handled was not. */
  takeBack(rule: ClientRuleId): void
  /**
   * For each rule that was handled right, the journal entry of the last situation: of the event that decided it or, if only
   * time did, of the one that time was counted from.
   */
  witnesses(): ReadonlyMap<ClientRuleId, number>
  /**
   * The oldest kept findings with a number above `after`, at most `limit`; the number of the last finding; and the
   * counts of each rule, including repeated violations.
   */
  read(page: { after: number; limit: number }): {
    findings: readonly Finding[]
    last: number
    duties: Readonly<Record<string, DutyCounts>>
  }
}

export const FINDINGS_MAX = 1000
/** Interval between reports of the same rule and client. */
const REPEAT_MS = 10_000
/** Number of clients and rules remembered for that. */
const REPORTED_MAX = 2000

/** Starts without findings, and with zero counts for each given rule. */
export function createFindings(options: { clock: Clock; rules: readonly ClientRuleId[] }): Findings {
  const { clock, rules } = options
  const ring: Finding[] = []
  const duties = new Map(rules.map((id) => [id, { situations: 0, handled: 0, violations: 0 }]))
  const reportedMs = new Map<string, number>()
  /** Journal entries of the last two situations that were handled right. */
  const seen = new Map<ClientRuleId, { last: number | undefined; before: number | undefined }>()
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

  const count = (rule: ClientRuleId, what: 'situations' | 'handled', by: 1 | -1) => {
    const duty = duties.get(rule)
    if (duty) duty[what] += by
  }

  return {
    add({ evidence, ...finding }) {
      const duty = duties.get(finding.rule)
      if (duty) duty.violations++
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
    begin: (rule) => count(rule, 'situations', 1),
    handle(rule, entry) {
      count(rule, 'handled', 1)
      const { last } = seen.get(rule) ?? {}
      seen.set(rule, { last: entry, before: last })
    },
    takeBack(rule) {
      count(rule, 'handled', -1)
      seen.set(rule, { last: seen.get(rule)?.before, before: undefined })
    },
    witnesses: () =>
      new Map([...seen].flatMap(([rule, { last }]) => (last === undefined ? [] : [[rule, last]]))),
    read({ after, limit }) {
      const first = Math.max(after, last - FINDINGS_MAX)
      const count = Math.max(0, Math.min(limit, last - first))
      const at = (place: number) => ring[(first + place) % FINDINGS_MAX] as Finding // as: within the kept range
      const page = Array.from({ length: count }, (_, place) => at(place))
      const counts = [...duties].map(([rule, duty]) => [rule, { ...duty }] as const)
      return { findings: page, last, duties: Object.fromEntries(counts) }
    },
  }
}
