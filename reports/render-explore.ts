import path from 'node:path'
import type { ExploreDocument } from '../contract/explore-report.ts'
import { RUN_FILES } from '../contract/run.ts'
import { exploreSentence, findingLines } from './explore-text.ts'
import { renderExploreHtml } from './html/render-explore.ts'
import { type JunitCase, junitText } from './junit-text.ts'
import { writeWhole } from './run-file.ts'

/** Writes all formats into a folder. Throws a BreakwaterError (environment) if it cannot be written. */
export async function writeExploration(dir: string, report: ExploreDocument): Promise<void> {
  const texts = {
    [RUN_FILES.exploreJson]: `${JSON.stringify(report, null, 2)}\n`,
    [RUN_FILES.junit]: renderJunit(report),
    [RUN_FILES.exploreHtml]: renderExploreHtml(report),
  }
  for (const [file, text] of Object.entries(texts)) await writeWhole(path.join(dir, file), text)
}

/** A failed test case for each violated rule, and one for the exploration as a whole. */
function renderJunit(report: ExploreDocument): string {
  const { findings, verdict, startedAt, unjudged } = report
  const cases = findings.map((finding): JunitCase => {
    const { rule, observed } = finding
    const detail = findingLines(finding).join('\n')
    return { className: 'explore', name: rule, outcome: { element: 'failure', message: observed, detail } }
  })
  const message = `not judged: ${unjudged.at(-1)?.reason ?? 'no sequence was run'}`
  const whole: JunitCase = {
    className: 'explore',
    name: 'sequences',
    outcome:
      verdict === 'inconclusive'
        ? { element: 'skipped', message, detail: exploreSentence(report) }
        : undefined,
  }
  return junitText({
    name: 'breakwater explore',
    suites: [{ name: 'sequences', timestamp: startedAt, cases: [...cases, whole] }],
  })
}
