import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GENERATOR_SIGNALS, TARGET_SIGNALS, THRESHOLDS } from '../../reports/capacity/saturation-signals.ts'
import { projectPath } from '../../scripts/project.ts'

const page = readFileSync(projectPath('docs/concepts/bottlenecks.md'), 'utf8')
const percent = (share: number) => `${share * 100} %`

/** The first cells of each row of a section's table. */
function listSignals(heading: string): string[] {
  const section = page.split('\n## ').find((text) => text.startsWith(heading)) ?? ''
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name)
}

test('docs/concepts/bottlenecks.md lists the signals of the code', () => {
  expect(listSignals('The generator')).toEqual(Object.keys(GENERATOR_SIGNALS))
  expect(listSignals('The target')).toEqual(Object.keys(TARGET_SIGNALS))
})

test.each([
  ['`vus`', []],
  ['`cpu`', [percent(THRESHOLDS.cpuShare)]],
  ['`run-queue`', [percent(THRESHOLDS.cpuShare)]],
  ['`throttled`', [percent(THRESHOLDS.throttledShare), percent(THRESHOLDS.throttledMuch)]],
  ['`lag`', [`${THRESHOLDS.lagMs} ms`]],
  ['`shared-machine`', [percent(THRESHOLDS.machineBusy)]],
  ['`files`', [percent(THRESHOLDS.shareOfTable)]],
  ['`ports`', [percent(THRESHOLDS.shareOfTable)]],
  ['`event-loop`', [`${THRESHOLDS.targetLagMs} ms`]],
])('docs/concepts/bottlenecks.md describes %s', (signal, texts) => {
  const row = page.split('\n').find((line) => line.startsWith(`| ${signal} |`))
  for (const text of texts) expect(row).toContain(text)
})

test.each(Object.entries(GENERATOR_SIGNALS))(
  'docs/concepts/bottlenecks.md has the explanation of %s',
  (signal, { explains }) => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `'))
    const at = rows.findIndex((line) => line.startsWith(`| \`${signal}\` |`))
    const row = rows.slice(0, at + 1).findLast((line) => !line.endsWith('| the same |'))
    expect(row).toMatch(new RegExp(`\\| ${explains.join(', ')} \\|$`))
  },
)

test('docs/concepts/bottlenecks.md has the thresholds of the target that have no row', () => {
  expect(THRESHOLDS).toMatchObject({ queueSeconds: 0.1, targetCores: 0.9, turnsOfRequest: 4 })
  expect(page).toContain('a tenth of a second of work')
  expect(page).toContain('keeps 0.9 of a core busy')
  expect(page).toContain('four times the lag')
})
