import { expect, test } from 'vitest'
import { shareRequests } from './request-shares.ts'

const LANES = 12

test.each([
  { requestsMax: 10_000, loadVus: 0, takeTurns: false, shares: { oneVu: false, ofLane: 833, ofLoadVu: 0 } },
  {
    requestsMax: 10_000,
    loadVus: 50,
    takeTurns: false,
    shares: { oneVu: false, ofLane: 416, ofLoadVu: 100 },
  },
  { requestsMax: 10_000, loadVus: 50, takeTurns: true, shares: { oneVu: true, ofLane: 5000, ofLoadVu: 100 } },
  { requestsMax: 301, loadVus: 40, takeTurns: false, shares: { oneVu: true, ofLane: 150, ofLoadVu: 3 } },
  { requestsMax: 300, loadVus: 0, takeTurns: false, shares: { oneVu: true, ofLane: 300, ofLoadVu: 0 } },
])('$requestsMax requests, $loadVus VUs of load, turns $takeTurns', ({ shares, ...options }) => {
  const shared = shareRequests({ ...options, lanesMax: LANES })
  expect(shared).toEqual(shares)
  const lanes = shared.oneVu ? 1 : LANES
  const all = lanes * (shared.ofLane ?? 0) + options.loadVus * (shared.ofLoadVu ?? 0)
  expect(all).toBeLessThanOrEqual(options.requestsMax)
})

test.each([true, false])('without a bound there are no shares; turns %s', (takeTurns) => {
  const shared = shareRequests({ requestsMax: null, loadVus: 9, lanesMax: LANES, takeTurns })
  expect(shared).toEqual({ oneVu: takeTurns, ofLane: null, ofLoadVu: null })
})
