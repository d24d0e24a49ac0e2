import { Counter } from 'k6/metrics'
import type { Finding } from '../../../contract/finding.ts'
import { EXCHANGE, tell } from '../case/timeline.ts'
import { redactor } from '../secrets/redact.ts'

const findingsCount = new Counter('findings')

/** Findings travel as lines of the console; only their counts are metrics. */
export function emitFinding(finding: Finding): void {
  findingsCount.add(1, { verdict: finding.verdict })
  console.log(redactor.redact(JSON.stringify(finding)))
  const { rule, verdict, observed, reason } = finding
  tell({ actor: EXCHANGE }, 'verdict', `${verdict}: ${reason ?? observed}`, { rule })
}
