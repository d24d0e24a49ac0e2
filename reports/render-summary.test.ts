import { expect, test } from 'vitest'
import { renderSummary } from './render-summary.ts'
import { sampleReport } from './sample-report.ts'

test('tells the failures and doubts of a run, and counts the rest', () => {
  expect(
    renderSummary({ report: sampleReport(), catalogue: [] }),
  ).toBe(`# Breakwater smoke: fail: 2 of 3 rules judged, 1 failed, 1 not judged (1 inconclusive); 1 of 2 objectives held

> A remark.  

Since sample-before (pass): 1 rule failing anew; 1 rule left open that had a verdict; not the same: seed.

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

## Run again

\`breakwater smoke --seed 7\`
`)
})

test('the first run of its kind says nothing of what changed', () => {
  const report = sampleReport()
  const changed = { ...report.changed, since: null, reason: 'none lies there' }
  expect(renderSummary({ report: { ...report, changed }, catalogue: [] })).not.toContain('none lies there')
})
