import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Report } from '../contract/report.ts'
import { hostileText, logCommands, UNSAFE } from './hostile-text.ts'
import { renderSummary } from './render-run.ts'
import { sampleReport } from './sample-report.ts'

test('lists failures and inconclusive rules, and counts the rest', () => {
  expect(
    renderSummary({ report: sampleReport(), catalogue: [] }),
  ).toBe(`# Breakwater smoke: fail: 2 of 3 rules judged, 1 failed, 1 not judged (1 inconclusive); 1 of 2 objectives passed

> A remark.  

Since sample-before (pass): 1 rule newly failing; 1 rule now inconclusive or skipped; changed: seed.

| rules | fail | inconclusive | pass | skipped |
|---|--:|--:|--:|--:|
| paging | 1 | 0 | 1 | 0 |
| ws | 0 | 1 | 0 | 0 |
| all | 1 | 1 | 1 | 0 |

## Failed

- \`paging.limit.rejects-101\`
  - expected: \`400\`
  - observed: \`\`\` 200 \`\`<b> \`\`\`
  - \`> GET /pools ⏎ < 200\`

## Inconclusive

- \`ws.rooms.at-most-32\`: no \\*witness\\*, @\u200bteam, see https\\://x

## Objectives

| objective | observed | verdict |
|---|---|---|
| p95 of all requests at most 250 ms | 38 ms over 5100 requests | pass |
| p99 of pools\\|x at most 150 ms | too few samples (40 of 1000) | inconclusive |

## Reproduce

\`breakwater smoke --seed 7\`
`)
})

test('omits changes for the first run of its kind', () => {
  const report = sampleReport()
  const changes = { ...report.changes, since: null, reason: 'no earlier run' }
  expect(renderSummary({ report: { ...report, changes }, catalogue: [] })).not.toContain('no earlier run')
})

test('foreign texts do not change lines, cells or markup', () => {
  const expected = structure(renderSummary(quoting('quoted')))
  fc.assert(
    fc.property(hostileText, (text) => {
      const summary = renderSummary(quoting(`x${text}x`))
      expect(summary).not.toMatch(UNSAFE)
      expect(logCommands(summary)).toEqual([])
      expect(structure(summary)).toEqual(expected)
    }),
  )
})

/** A report and its rules, with the text in every free field. */
function quoting(text: string): Parameters<typeof renderSummary>[0] {
  const report = sampleReport()
  const rules = report.rules.map((rule) => ({
    ...rule,
    expected: text,
    observed: text,
    reason: text,
    evidence: [text, text],
  }))
  const [first, failed, ...others] = rules as [(typeof rules)[0], (typeof rules)[0]] // as: the sample has three
  const waived = {
    ...failed,
    id: `paging.${text}`,
    waiver: { rule: text, until: '2026-11-30', reason: text },
  }
  const quoted: Report = {
    ...report,
    job: text as Report['job'], // as: a run folder of somebody else
    rules: [first, { ...failed, id: `paging.${text}` }, waived, ...others],
    slo: {
      name: text,
      objectives: (report.slo?.objectives ?? []).map((one) => ({ ...one, routeGroup: text, reason: text })),
    },
    changes: {
      ...report.changes,
      facts: [{ name: text, before: text, after: text }],
      since: { folder: text, startedAt: '2026-01-01T03:04:05Z', verdict: 'pass' },
    },
    notes: [text, text],
    run: { ...report.run, command: text },
  }
  const statement = { id: `paging.${text}`, statement: text }
  return { report: quoted, catalogue: [statement as never] } // as: all that a summary reads of it
}

/** The structure of each line: its start, the number of cells, and the markup outside of code. */
function structure(markdown: string): string[] {
  return markdown.split('\n').map((line) => {
    const bare = line.replace(/\\[!-/:-@[-`{-~]|(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '')
    return bare.replace(/[^#>|`*_[\]<~&!$]/g, '')
  })
}
