import type { Report } from '../contract/report.ts'

/** A small report with one of each, for the tests of what renders it. */
export function sampleReport(): Report {
  return {
    version: 1,
    job: 'smoke',
    verdict: 'fail',
    exitCode: 1,
    rules: [
      { id: 'paging.limit.rejects-0', verdict: 'pass', ...SEEN, observed: '400', reason: null },
      { id: 'paging.limit.rejects-101', verdict: 'fail', ...SEEN, observed: '200 ``<b>', reason: null },
      {
        id: 'ws.rooms.at-most-32',
        verdict: 'inconclusive',
        ...SEEN,
        observed: '',
        reason: 'no *witness*, @team, see https://x',
      },
    ],
    unknownRules: [],
    slo: {
      name: 'smoke',
      objectives: [
        {
          kind: 'latency',
          routeGroup: '*',
          quantile: 0.95,
          latencyMsMax: 250,
          observedMs: 38.04,
          windowSeconds: null,
          windows: null,
          samples: 5100,
          verdict: 'pass',
          reason: null,
        },
        {
          kind: 'latency',
          routeGroup: 'pools|x',
          quantile: 0.99,
          latencyMsMax: 150,
          observedMs: null,
          windowSeconds: null,
          windows: null,
          samples: 40,
          verdict: 'inconclusive',
          reason: 'too few samples (40 of 1000)',
        },
      ],
    },
    capacity: null,
    run: {
      id: 'sample',
      state: 'finished',
      startedAt: '2026-01-02T03:04:05Z',
      finishedAt: '2026-01-02T03:05:05Z',
      target: { name: 'stub', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1', control: true },
      world: 'tiny',
      seed: 7,
      choices: 'plain',
      mutant: null,
      strict: false,
      versions: { breakwater: '0.1.0', node: 'v20.0.0', k6: '2.2.0' },
      command: 'breakwater smoke --seed 7',
      mix: null,
      load: null,
      machine: null,
      instances: 1,
      mergedFrom: [],
      k6: { exitCode: 0, reason: 'finished', meaning: 'ended well' },
    },
    latency: { groups: [], routes: [] },
    generator: {
      requests: 5100,
      failedRequests: 0,
      iterations: 100,
      droppedIterations: 0,
      measuredSeconds: 60,
      complete: true,
    },
    notes: ['A remark.'],
  }
}

const SEEN = { expected: '400', evidence: ['> GET /pools\n< 200'], waiver: null }
