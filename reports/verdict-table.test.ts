import { createColors } from 'picocolors'
import { expect, test } from 'vitest'
import { sampleReport } from './sample-report.ts'
import { verdictTable } from './verdict-table.ts'

test('shows verdict, counts by group, failures, inconclusive rules, objectives, notes', () => {
  expect(
    verdictTable(sampleReport()).join('\n'),
  ).toBe(`fail: 2 of 3 rules judged, 1 failed, 1 not judged (1 inconclusive); 1 of 2 objectives passed
rules   pass  fail  inconclusive  skipped
paging     1     1             -        -
ws         -     -             1        -
all        1     1             1        -
fail  paging.limit.rejects-101
      expected: 400
      observed: 200 \`\`<b>
inconclusive  ws.rooms.at-most-32: no *witness*, @team, see https://x
pass  p95 of all requests at most 250 ms: 38 ms over 5100 requests
inconclusive  p99 of pools|x at most 150 ms: too few samples (40 of 1000)
Since sample-before (pass): 1 rule newly failing; 1 rule now inconclusive or skipped; changed: seed.
note: A remark.`)
})

test('inconclusive rules with the same reason share a line', () => {
  const report = sampleReport()
  const rules = ['a.1', 'a.2', 'a.3', 'a.4', 'a.5'].map((id) => ({
    id,
    verdict: 'inconclusive' as const,
    expected: '',
    observed: '',
    evidence: [],
    needs: null,
    waiver: null,
    reason: 'never ran',
  }))
  expect(verdictTable({ ...report, rules })).toContain('inconclusive  a.1, a.2, a.3 and 2 more: never ran')
})

test('escapes target texts but keeps the colors of the caller', () => {
  const report = sampleReport()
  const rules = report.rules.map((rule) => ({ ...rule, observed: '\u001b[2Jgone\nnext' }))
  const lines = verdictTable({ ...report, rules }, createColors(true))
  expect(lines).toContain('      observed: \\u001b[2Jgone ⏎ next')
  expect(lines[0]?.startsWith('\u001b[31mfail: ')).toBe(true)
})

test('omits changes for the first run of its kind', () => {
  const report = sampleReport()
  const changes = { ...report.changes, since: null, reason: 'no earlier run' }
  expect(verdictTable({ ...report, changes }).join('\n')).not.toContain('no earlier run')
})
