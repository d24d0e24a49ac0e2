import { expect, test } from 'vitest'
import { runRemarks } from './read-run-summary.ts'

const LOAD = { rate: 10, warmUpSeconds: 1, seconds: 30 }
const BUSY = { outcome: 'generator-limited', reason: 'all 5 VUs were at work' } as const
const MET = { outcome: 'pass', reason: 'all objectives passed' } as const

test.each([
  { what: 'a load that went well', run: { state: 'finished', load: LOAD }, trials: [MET], remarks: [] },
  {
    what: 'a load that was interrupted',
    run: { state: 'interrupted', load: LOAD },
    trials: [],
    remarks: ['It was interrupted: 5 of 30 s judged.'],
  },
  {
    what: 'a load that was killed',
    run: { state: 'running', load: LOAD },
    trials: [],
    remarks: ['It was killed: 5 of 30 s judged.'],
  },
  { what: 'probes', run: { state: 'failed', load: null }, trials: [], remarks: ['It failed.'] },
  {
    what: 'a load that was not made',
    run: { state: 'finished', load: LOAD },
    trials: [BUSY],
    remarks: ['The load generator saturated, not the target: all 5 VUs were at work.'],
  },
  // A search raises the rate until something saturates.
  { what: 'a search', run: { state: 'finished', load: null }, trials: [MET, BUSY], remarks: [] },
] as const)('$what', ({ run, trials, remarks }) => {
  expect(runRemarks({ run, seconds: 5, trials })).toEqual(remarks)
})
