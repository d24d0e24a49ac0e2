import { expect, test } from 'vitest'
import { SLOW_TRACE } from '../../contract/series.ts'
import { createFoldedSeries, foldPoint } from './fold-series.ts'
import { sumPoint } from './test-points.ts'

const ID = '0af7651916cd43dd8448eb211c80319c'

function slowest(...points: { ms: number; tags?: Record<string, string> }[]) {
  const series = createFoldedSeries()
  for (const { ms, tags } of points) {
    const all = { name: 'GET /pools', route_group: 'pools', trace_id: ID, status: '200', parts: '', ...tags }
    foldPoint(series, sumPoint(ms, { metric: SLOW_TRACE, type: 'gauge', time: 7, tags: all }))
  }
  return series.routes.get('pools\nGET /pools')?.slowest
}

test('keeps the three slowest requests of the run by route', () => {
  expect(slowest({ ms: 3 }, { ms: 9 }, { ms: 1 }, { ms: 5 })?.map(({ ms }) => ms)).toEqual([9, 5, 3])
})

test('reads the parts, except those that our k6 does not write', () => {
  const parts = 'db=12.5 app=0 <b>=1 x=-1 y=NaN z= w'
  expect(slowest({ ms: 20, tags: { parts } })).toEqual([
    {
      traceId: ID,
      at: 7,
      status: '200',
      ms: 20,
      parts: [
        { name: 'db', ms: 12.5 },
        { name: 'app', ms: 0 },
      ],
    },
  ])
})

test.each([{ trace_id: `${ID}<` }, { trace_id: 'A'.repeat(32) }, { status: '<b>' }])(
  'ignores a request with the tags %j',
  (tags) => {
    expect(slowest({ ms: 20, tags })).toEqual([])
  },
)
