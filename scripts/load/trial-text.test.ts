import { expect, test } from 'vitest'
import type { TrialResult } from '../../contract/capacity.ts'
import { budgetText, trialText } from './show-trials.ts'

const RESULT = {
  trial: 3,
  rate: 412,
  rateFrom: null,
  secondsPlanned: 5,
  outcome: 'pass',
  reason: 'all objectives passed',
  throughput: 411.6,
  p95Ms: 12.34,
} as TrialResult // as: what the line is made of

test.each([
  { more: {}, text: 'trial 3: 412/s for 5 s, deciding: pass, 412/s served, p95 12.3 ms' },
  {
    more: { outcome: 'fail', reason: 'late', p95Ms: 'infinite' },
    text: 'trial 3: 412/s for 5 s, deciding: fail (late), 412/s served, p95 infinite',
  },
  {
    more: { rateFrom: 0.5, p95Ms: null, throughput: 0 },
    text: 'trial 3: 0.5 to 412/s for 5 s, deciding: pass, 0/s served',
  },
  {
    more: { axis: 'sockets', outcome: 'fail', reason: 'late', sockets: { synchronizeP90Ms: 'infinite' } },
    text: 'trial 3: 412 sockets for 5 s, deciding: fail (late), 412 served, p90 to synchronize infinite',
  },
  {
    more: { axis: 'sockets', sockets: { synchronizeP90Ms: null } },
    text: 'trial 3: 412 sockets for 5 s, deciding: pass, 412 served',
  },
  {
    more: { axis: 'sockets', recoverWithinSeconds: 10, sockets: { recovery: [{ share: 0.99, ms: 2140 }] } },
    text: 'trial 3: cut 412 sockets, deciding: pass, 412 recovered, 99 % within 2.14 s',
  },
  {
    more: { axis: 'events', sockets: { eventsPerSecond: 900, feedDelayP95Ms: 870 } },
    text: 'trial 3: 412 sockets for 5 s, deciding: pass, 412 served, 900 events/s, p95 of feed delay 870 ms',
  },
  {
    more: {
      axis: 'subscriptions',
      sockets: { synchronizeP90Ms: 12, eventsPerSecond: 900, feedDelayP95Ms: 870 },
    },
    text: 'trial 3: 412 subscriptions for 5 s, deciding: pass, 412 served, p90 to synchronize 12 ms, 900 events/s, p95 of feed delay 870 ms',
  },
  {
    more: {
      axis: 'slow-readers',
      throughput: 391.4,
      sockets: { synchronizeP90Ms: null, eventsPerSecond: 300, feedDelayP95Ms: 870 },
    },
    text: 'trial 3: 412 slow readers for 5 s, deciding: pass, 95 % of the normal sockets served, 300 events/s, p95 of feed delay 870 ms',
  },
] as const)('$text', ({ more, text }) => {
  // as: the line needs no more of the sockets
  expect(trialText({ ...RESULT, ...more } as TrialResult, 'deciding')).toBe(text)
})

test.each([
  { secondsUsed: 87.6, requestsMax: null, text: '212 s left' },
  { secondsUsed: 87.6, requestsMax: 1000, text: '212 s and 600 requests left' },
  { secondsUsed: 400, requestsMax: 100, text: '0 s and 0 requests left' },
])('$text', ({ text, ...used }) => {
  expect(budgetText({ secondsMax: 300, requestsUsed: 400, ...used })).toBe(text)
})
