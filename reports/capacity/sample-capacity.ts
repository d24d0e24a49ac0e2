import type { Capacity, TrialResult } from '../../contract/capacity.ts'

export function sampleCapacity(): Capacity {
  return {
    rate: 400,
    requestsPerSecond: 400,
    limitedBy: 'target',
    confirmed: true,
    highestPassingRate: 400,
    lowestFailingRate: 420,
    statement: '400 iterations/s meet the objectives; limited by the target; confirmed',
    mix: 'reads',
    loads: [
      { rate: 100, bound: 'lower', trials: [1] },
      { rate: 200, bound: 'lower', trials: [2] },
      { rate: 400, bound: 'lower', trials: [4, 6] },
      { rate: 420, bound: 'upper', trials: [5] },
      { rate: 800, bound: 'upper', trials: [3] },
    ],
    trials: [
      sampleTrial({ trial: 1, rate: 100, meanMs: 2.9 }),
      sampleTrial({ trial: 2, rate: 200, meanMs: 3.7 }),
      sampleTrial({
        trial: 3,
        rate: 800,
        throughput: 400,
        meanMs: 2500,
        ended: 'aborted',
        outcome: 'fail',
        reason: 'p95 of all requests at most 100 ms: 4750 ms over 800 requests',
      }),
      sampleTrial({ trial: 4, rate: 400, meanMs: 20 }),
      sampleTrial({
        trial: 5,
        rate: 420,
        throughput: 400,
        meanMs: 125,
        outcome: 'fail',
        reason: 'p95 of all requests at most 100 ms: 237 ms over 2000 requests',
      }),
      sampleTrial({
        trial: 6,
        phase: 'confirmation',
        rate: 400,
        meanMs: 21,
        secondsPlanned: 20,
        seconds: 20,
      }),
    ],
    scalability: null,
    scalabilityReason: '4 of 6 trials held a steady load, at 3 different concurrencies: a fit needs 6',
    budget: { secondsMax: 300, secondsUsed: 62, requestsMax: null, requestsUsed: 14_600 },
  }
}

/** Defaults: throughput equals the rate, one request per iteration, and percentiles follow the mean latency. */
export function sampleTrial(
  options: { trial: number; rate: number; meanMs: number } & Partial<TrialResult>,
): TrialResult {
  const { meanMs, seconds = 5 } = options
  const throughput = options.throughput ?? options.rate
  return {
    phase: 'search',
    rateFrom: null,
    ended: 'completed',
    warmUpSeconds: 1,
    instances: 1,
    vusMax: 400,
    secondsPlanned: 5,
    outcome: 'pass',
    reason: 'all objectives passed',
    throughput,
    requestsPerSecond: throughput,
    requests: Math.round(throughput * seconds),
    dropped: 0,
    rateLimited: 0,
    p50Ms: meanMs * 0.7,
    p95Ms: meanMs * 3,
    p99Ms: meanMs * 4.6,
    errorRate: 0,
    concurrency: (throughput * meanMs) / 1000,
    generatorLagMs: 1.2,
    generator: {
      cpuCores: 0.6,
      cpuCoresMax: 4,
      machineBusy: 0.31,
      runQueueCores: 0.02,
      throttledShare: null,
      openFilesMax: 120,
      openFilesLimit: 65_536,
      portsUsedMax: 100,
      portsMax: 28_232,
      residentMbMax: 92,
    },
    target: { cpuCores: 0.4, eventLoopLagMs: 4, queueMax: 40 },
    seconds,
    ...options,
  }
}
