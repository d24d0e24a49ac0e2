import { expect, onTestFinished, test } from 'vitest'
import { faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { startStub } from '../simulator/stub.ts'
import { findShape, readRun } from './read-run.ts'

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

test('of a fault that a flood of requests triggers, lists as many matches as a schedule may have', async () => {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
  onTestFinished(() => stub.close())
  // Triggered each millisecond without effect, because the chain is shorter.
  const faults = [{ fault: 'reorg', depth: 64, everyMs: 1 }]
  stub.inProcess.faults.apply(faultPlanSchema.parse({ description: 'of a test', faults }))
  stub.world.setMining({ mode: 'paused' })
  stub.world.advance(10_001)
  expect(readRun(stub).taken).toMatchObject([{ fault: 'reorg', when: { on: { length: 10_000 } } }])
})
