import { expect, test } from 'vitest'
import type { HistoryViolation } from '../../../contract/history.ts'
import { historiesSection } from './histories-section.ts'

const violation: HistoryViolation = {
  rule: 'history.session.stays-ended',
  key: 'session 12.3',
  observed: 'no order',
  operations: [
    { does: 'log out', outcome: '200', accepted: true, fromMs: 0, toMs: 10 },
    { does: 'read with token 0', outcome: '200', accepted: true, fromMs: 20, toMs: 40 },
    { does: 'refresh with token 0', outcome: '401', accepted: false, fromMs: 30, toMs: 30 },
    { does: 'read with token 0', outcome: 'no response yet', accepted: false, fromMs: 30, toMs: null },
  ],
}

const draw = (violations: readonly HistoryViolation[]) => historiesSection(violations).markup

test('without violations there is no section', () => {
  expect(draw([])).toBe('')
})

test('each operation is a bar from its call to its return, on one scale', () => {
  const bars = [...draw([violation]).matchAll(/<rect class="(\w+)" x="(\d+)" y="(\d+)" width="(\d+)"/g)]
  expect(bars.map(([, ...numbers]) => numbers.join(' '))).toEqual([
    'accepted 200 5 105',
    'accepted 410 27 210',
    'rejected 515 49 2',
    'open 515 71 105',
  ])
})

test('a long history is cut', () => {
  const operations = Array.from({ length: 50 }, () => violation.operations[0] ?? expect.fail())
  expect(draw([{ ...violation, operations }])).toContain('10 more operations')
})

test('texts of a damaged file are escaped', () => {
  const text = '<script>alert(1)</script>" onload="x'
  const operations = [{ does: text, outcome: text, accepted: true, fromMs: 0, toMs: 1 }]
  const markup = draw([{ rule: text, key: text, observed: text, operations }])
  expect(markup).not.toContain('<script')
  expect(markup).not.toContain('" onload')
})
