import { expect, test } from 'vitest'
import { generatorWarnings } from './preflight.ts'

const PROVISIONS = { openFilesLimit: 1000, ephemeralPorts: 2000 }

test.each([
  ['what fits', { vusMax: 950, instances: 1 }, []],
  ['what fits over three processes', { vusMax: 1500, instances: 3 }, []],
  [
    'too many files',
    { vusMax: 951, instances: 1 },
    [
      '951 VUs may need 1,001 open files in a k6 process, and it may have 1,000: raise the hard limit (ulimit -Hn), take more --instances, or less --max-vus',
    ],
  ],
  [
    'sockets of the feed besides: too many ports',
    { vusMax: 1001, instances: 9, socketsPerVu: 2 },
    [
      '1,001 VUs may need 2,002 ports, and there are 2,000: widen net.ipv4.ip_local_port_range, take another machine besides (breakwater merge), or less --max-vus',
    ],
  ],
])('%s', (_, load, warnings) => {
  expect(generatorWarnings(load, PROVISIONS)).toEqual(warnings)
})

test('where nothing is known, nothing is warned of', () => {
  const unknown = { openFilesLimit: null, ephemeralPorts: null }
  expect(generatorWarnings({ vusMax: 1e9, instances: 1 }, unknown)).toEqual([])
})

test.runIf(process.platform === 'linux')('knows this machine', () => {
  expect(generatorWarnings({ vusMax: 1, instances: 1 })).toEqual([])
  expect(generatorWarnings({ vusMax: 1e12, instances: 1 })).toHaveLength(2)
})
