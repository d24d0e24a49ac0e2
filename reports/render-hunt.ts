import path from 'node:path'
import type { HuntDocument } from '../contract/hunt-report.ts'
import { RUN_FILES } from '../contract/run.ts'
import { renderHuntHtml } from './html/render-hunt.ts'
import { findingLines } from './hunt-text.ts'
import { type JunitCase, junitText } from './junit-text.ts'
import { writeWhole } from './run-file.ts'

/** Writes all formats into a folder. Throws a BreakwaterError (environment) if it cannot be written. */
export async function writeHunt(dir: string, hunt: HuntDocument): Promise<void> {
  const texts = {
    [RUN_FILES.huntJson]: `${JSON.stringify(hunt, null, 2)}\n`,
    [RUN_FILES.junit]: renderHuntJunit(hunt),
    [RUN_FILES.huntHtml]: renderHuntHtml(hunt),
  }
  for (const [file, text] of Object.entries(texts)) await writeWhole(path.join(dir, file), text)
}

/** One test case per duty: failed with its findings, passed if it was exercised, otherwise skipped; and one per earlier case. */
function renderHuntJunit({ duties, findings, cases, startedAt }: HuntDocument): string {
  const ofDuties = duties.map(({ rule, verdict }): JunitCase => {
    const common = { className: 'client', name: rule }
    if (verdict === 'pass') return { ...common, outcome: undefined }
    if (verdict !== 'fail') {
      const message = 'not exercised by any schedule'
      return { ...common, outcome: { element: 'skipped', message, detail: message } }
    }
    const found = findings.filter((finding) => finding.rule === rule)
    const message = found[0]?.observed ?? 'violated'
    const detail = found.flatMap((finding) => findingLines(finding)).join('\n')
    return { ...common, outcome: { element: 'failure', message, detail } }
  })
  const ofCases = cases.map(({ file, observed, reproduces }): JunitCase => {
    const outcome = reproduces
      ? ({ element: 'failure', message: `still reproduces: ${observed}`, detail: observed } as const)
      : undefined
    return { className: 'case', name: file, outcome }
  })
  return junitText({
    name: 'breakwater hunt',
    suites: [{ name: 'rules', timestamp: startedAt, cases: [...ofCases, ...ofDuties] }],
  })
}
