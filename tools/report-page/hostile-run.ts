import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../contract/finding.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { renderRun } from '../../reports/render-run.ts'
import { sampleReport } from '../../reports/sample-report.ts'
import { makeSyntheticRun, SYNTHETIC_RUN } from '../../reports/synthetic-run.ts'
import { shellLine } from '../../scripts/terminal-text.ts'

/** Renders a run with this name everywhere that others choose a name; returns its folder. */
export async function renderHostileRun(parent: string, name: string): Promise<string> {
  const target = { name, baseUrl: name, wsUrl: name, control: false }
  const run: Partial<Run> = {
    target,
    command: shellLine(['breakwater', 'smoke', '--target', name]),
    machine: name,
    notes: [name],
    mix: name,
    mutant: name,
    rules: ['paging.limit.rejects-101', 'ws.rooms.at-most-32', `own.${name}`],
    customRules: { [`own.${name}`]: name },
    slo: { name, objectives: [{ routeGroup: name, quantile: 0.5, latencyMsMax: 1 }] },
  }
  writeEarlierRun(join(parent, 'before'), { ...run, machine: 'another', mix: name })
  const dir = join(parent, 'hostile')
  await makeSyntheticRun({
    dir,
    seed: 3,
    seconds: 30,
    samplesPerSecond: 20,
    series: ['feed_delay_lower_bound', 'feed_delay_upper_bound', 'http_req_duration'].map((metric) => ({
      metric,
      type: 'trend',
      tags: { name, route_group: name },
    })),
    run,
    findings: [
      finding('paging.limit.rejects-101', 'fail', name),
      finding('ws.rooms.at-most-32', 'inconclusive', name),
      finding(`own.${name}`, 'fail', name),
      finding(name, 'fail', name),
    ],
  })
  await renderRun({ dir, nowMs: 0 })
  return dir
}

function writeEarlierRun(dir: string, run: Partial<Run>): void {
  mkdirSync(dir)
  const startedAt = '2025-12-31T00:00:00Z'
  writeFileSync(
    join(dir, RUN_FILES.run),
    JSON.stringify({ ...SYNTHETIC_RUN, id: 'before', startedAt, ...run }),
  )
  writeFileSync(join(dir, RUN_FILES.reportJson), JSON.stringify(sampleReport()))
}

function finding(rule: string, verdict: Finding['verdict'], name: string): Finding {
  const texts = { expected: name, observed: name, reason: name, scenario: name, evidence: [name, name] }
  return { finding: 1, rule, verdict, at: 0, ...texts }
}
