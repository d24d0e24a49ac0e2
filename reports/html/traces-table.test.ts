import { expect, test } from 'vitest'
import { tracesTable } from './traces-table.ts'

const TRACE = {
  routeGroup: 'pools',
  name: 'GET /pools<b>',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  at: '2026-01-02T03:04:05.000Z',
  status: '200',
  ms: 81.23,
  parts: [
    { name: 'queue', ms: 79 },
    { name: 'app', ms: 1.5 },
  ],
}

test('shows the id to search for, with the time of each part', () => {
  const { markup } = tracesTable([TRACE, { ...TRACE, parts: [] }])
  for (const text of [
    'GET /pools&#60;b&#62;',
    '03:04:05',
    '>81.2<',
    'queue 79, app 1.5',
    '>–<',
    '<code>0af7651916cd43dd8448eb211c80319c</code>',
  ])
    expect(markup).toContain(text)
})

test('shows the slowest of many', () => {
  const { markup } = tracesTable(Array(31).fill(TRACE))
  expect(markup.split('<tr><th scope="row">').length).toBe(31)
  expect(markup).toContain('The 30 slowest of 31')
})

test('is absent without traces', () => {
  expect(tracesTable([]).markup).toBe('')
})
