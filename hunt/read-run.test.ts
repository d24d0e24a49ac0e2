import { expect, test } from 'vitest'
import { findShape } from './read-run.ts'

test.each([
  ['4 reconnects in a row, each after 0 ms', 'N reconnects in a row, each after N ms'],
  [
    'requested GET /pools?limit=100&offset=20 again before Retry-After had passed, 2 times in a row',
    'requested GET /pools again before Retry-After had passed, N times in a row',
  ],
  [
    'socket 7 replaced a lost one 30 s ago, but 2 of its 3 rooms were not subscribed to again: trades:a, trades:b',
    'socket N replaced a lost one N s ago, but N of its N rooms were not subscribed to again: …',
  ],
  ['nothing was read again within 30 s, such as /pools/x', 'nothing was read again within N s, such as …'],
  [
    'subscribed to "trades:\\"a", another spelling of the key "b"',
    'subscribed to …, another spelling of the key …',
  ],
])('%j and its like have one shape', (observed, shape) => {
  expect(findShape(observed)).toBe(shape)
})
