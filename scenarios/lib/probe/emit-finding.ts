import { Counter } from 'k6/metrics'
import type { Finding } from '../../../contract/finding.ts'
import { redactor } from '../redact.ts'
import { EXCHANGE, recordEntry } from '../timeline.ts'

const findingsCount = new Counter('findings')

/** Findings travel as console lines; only their counts are metrics. */
export function emitFinding(finding: Finding): void {
  findingsCount.add(1, { verdict: finding.verdict })
  const { rule, verdict, expected, observed, evidence, reason } = finding
  const clean = {
    ...finding,
    // Only prose fields: redacting the whole line could alter names that the report reads.
    expected: redactor.redact(expected),
    observed: redactor.redact(observed),
    evidence: evidence.map(redactor.redact),
    ...(reason === undefined ? {} : { reason: redactor.redact(reason) }),
  }
  console.log(JSON.stringify(clean))
  recordEntry({ actor: EXCHANGE }, 'verdict', `${verdict}: ${reason ?? observed}`, { rule })
}
