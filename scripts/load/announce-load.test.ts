import { expect, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { type Objective, sloSchema } from '../../contract/slo.ts'
import { announce } from '../commands/smoke.ts'
import { loadMix } from '../given-files.ts'
import { announceLoad, findSocketRoom, generatorWarnings, tooShort } from './announce-load.ts'

const NAME = 'x\u202e\u001b[31m'
const SHOWN = 'x\\u202e\\u001b[31m'
const TARGET = {
  profile: profileSchema.parse({ name: NAME, baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }),
  wallets: [],
  apiTokens: [],
  controlToken: null,
}
const MIX = { name: NAME, description: '', durationSeconds: 60, start: 'steady' as const, clients: [] }

test('escapes foreign names when a load is announced', () => {
  const slo = sloSchema.parse({ name: NAME, objectives: [{ droppedRateMax: 0.1 }] })
  const arrivals = { kind: 'trace', file: NAME, name: NAME } as const
  const plan = {
    job: 'load',
    target: TARGET,
    mix: MIX,
    arrivals,
    slo,
    requestsMax: null,
    durationSecondsMax: 9,
  }
  expect(announceLoad(plan, '5 a second').slice(0, 2)).toEqual([
    `load of ${SHOWN}: http://127.0.0.1:1`,
    `  5 a second; mix ${SHOWN}, arrivals ${SHOWN}, objectives ${SHOWN}`,
  ])
})

test('and when probes are announced', () => {
  const plan = {
    target: TARGET,
    requestsMax: 9,
    durationSecondsMax: 9,
    refuses: { writes: null, load: null },
  }
  const lines = announce({ ...plan, mix: MIX })
  expect(lines[0]).toBe(`target ${SHOWN}: http://127.0.0.1:1`)
  expect(lines.join('')).toContain(`the mix ${SHOWN}, 60 s`)
})

const P95: Objective = { routeGroup: '*', quantile: 0.95, latencyMsMax: 250 }

test.each<{ what: string; objective: Objective; seconds: number; lines: string[] }>([
  {
    what: 'a p95 with too few samples',
    objective: P95,
    seconds: 39,
    lines: [
      'p95 of all requests at most 250 ms: will not be judged: it needs 200 requests: at 5/s a load of 40 s',
    ],
  },
  { what: 'a p95', objective: P95, seconds: 40, lines: [] },
  {
    what: 'a p95 of short windows',
    objective: { ...P95, windowSeconds: 10 },
    seconds: 400,
    lines: [
      'p95 of all requests at most 250 ms in each 10 s: will not be judged: it needs 200 requests: at 5/s windows of 40 s',
    ],
  },
  { what: 'a group of routes', objective: { ...P95, routeGroup: 'pools' }, seconds: 1, lines: [] },
  { what: 'errors', objective: { routeGroup: '*', errorRateMax: 0.01 }, seconds: 1, lines: [] },
])('of $what in $seconds s', async ({ objective, seconds, lines }) => {
  const mix = await loadMix('reads', '.')
  expect(tooShort({ slo: { name: 's', objectives: [objective] }, mix, rate: 5, seconds })).toEqual(lines)
})

const PROVISIONS = { openFilesLimit: 1000, ephemeralPorts: 2000 }

test.each([
  ['what fits', { vusMax: 950, instances: 1 }, []],
  ['what fits over three processes', { vusMax: 1500, instances: 3 }, []],
  [
    'too many files',
    { vusMax: 951, instances: 1 },
    [
      '951 VUs may need 1,001 open files in a k6 process, but the limit is 1,000: raise the hard limit (ulimit -Hn), raise --instances, or lower --max-vus',
    ],
  ],
  [
    'sockets of the feed besides: too many ports',
    { vusMax: 1001, instances: 9, socketsPerVu: 2 },
    [
      '1,001 VUs may need 2,002 ports, but there are 2,000: widen net.ipv4.ip_local_port_range, add another machine (breakwater merge), or lower --max-vus',
    ],
  ],
])('%s', (_, load, warnings) => {
  expect(generatorWarnings(load, PROVISIONS)).toEqual(warnings)
})

test.each([
  [{ vusMax: 10, instances: 1 }, 200, '10 VUs of 20 sockets (--max-vus)'],
  [
    { vusMax: 950, instances: 1 },
    904,
    '1,000 open files in each of 1 k6 processes (ulimit -Hn, --instances)',
  ],
  [{ vusMax: 950, instances: 9 }, 1904, '2,000 ports of this machine (net.ipv4.ip_local_port_range)'],
])('the sockets that fit: %j', (generator, sockets, limit) => {
  expect(findSocketRoom(generator, PROVISIONS)).toEqual({ sockets, limit })
})

test('without known limits there are no warnings', () => {
  const unknown = { openFilesLimit: null, ephemeralPorts: null }
  expect(generatorWarnings({ vusMax: 1e9, instances: 1 }, unknown)).toEqual([])
})

test.runIf(process.platform === 'linux')('reads the limits of this machine', () => {
  expect(generatorWarnings({ vusMax: 1, instances: 1 })).toEqual([])
  expect(generatorWarnings({ vusMax: 1e12, instances: 1 })).toHaveLength(2)
})
