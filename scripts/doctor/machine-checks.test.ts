import { expect, test } from 'vitest'
import type { MachineFacts } from './look.ts'
import { checkMachine } from './machine-checks.ts'
import { GOOD_MACHINE } from './test-facts.ts'

const GIB = 2 ** 30
const { k6, folders, clock } = GOOD_MACHINE
const NOT_BUILT = { ...k6, isExecutable: false, version: null }

test('passes every check on a good machine', () => {
  const findings = checkMachine(GOOD_MACHINE)
  expect(findings.map(({ check, verdict }) => `${verdict}: ${check}`)).toEqual([
    'ok: node',
    'ok: go',
    'ok: k6',
    'ok: ports',
    'ok: ephemeral ports',
    'ok: open files',
    'ok: clock',
    'ok: cores',
    'ok: memory',
    'ok: cache folder',
    'ok: run folders',
    'ok: temporary folder',
  ])
  expect(findings.filter(({ remedy }) => remedy !== undefined)).toEqual([])
})

type Broken = {
  what: string
  facts: Partial<MachineFacts>
  expected: readonly (readonly [check: string, verdict: string, saw: RegExp, remedy?: RegExp])[]
}

const BROKEN: readonly Broken[] = [
  {
    what: 'an older Node',
    facts: { node: { version: 'v20.9.0', needed: '>=20.19' } },
    expected: [['node', 'problem', /^v20\.9\.0; 20\.19 or later is needed$/, /Install Node 20\.19/]],
  },
  {
    what: 'no k6 yet, and an old Go without pip',
    facts: { k6: NOT_BUILT, go: { version: '1.9.1', hasPip: false } },
    expected: [
      [
        'go',
        'problem',
        /^1\.9\.1, older than 1\.21, and pip/,
        /https:\/\/go\.dev\/dl.*\n.*pip.*\n.*BREAKWATER_K6/,
      ],
      ['k6', 'warning', /^not built yet/, /npx breakwater smoke --no-load --rules 'wire\.\*'/],
    ],
  },
  {
    what: 'no k6 yet, and pip to download Go',
    facts: { k6: NOT_BUILT, go: { version: null, hasPip: true } },
    expected: [['k6', 'warning', /^not built yet/]],
  },
  {
    what: 'a cached k6 that does not run',
    facts: { k6: { ...k6, version: null } },
    expected: [['k6', 'problem', /^the cached build does not run: \/cache\/k6$/, /rm \/cache\/k6$/]],
  },
  {
    what: 'a BREAKWATER_K6 without the extensions of k6/',
    facts: { k6: { ...k6, isGiven: true, version: null } },
    expected: [
      ['k6', 'problem', /is not a k6 with the extensions of k6\/: \/cache\/k6$/, /unset BREAKWATER_K6$/],
    ],
  },
  {
    what: 'a missing BREAKWATER_K6',
    facts: { k6: { ...NOT_BUILT, isGiven: true } },
    expected: [['k6', 'problem', /is not an executable file/, /go build/]],
  },
  {
    what: 'a used port, and an unavailable one',
    facts: {
      ports: [
        { port: 8080, failure: 'in use' },
        { port: 8081, failure: null },
        { port: 8082, failure: 'EACCES' },
      ],
    },
    expected: [
      ['ports', 'warning', /^8080: in use; 8082: EACCES$/, /stub --port 0 --feed-port 0 --control-port 0$/],
    ],
  },
  {
    what: 'few ephemeral ports',
    facts: { ephemeralPorts: 3999 },
    expected: [
      [
        'ephemeral ports',
        'warning',
        /^3,999 .* enough for 1,999 VUs .* the 2,000 that/,
        /ip_local_port_range="10240 65535"$/,
      ],
    ],
  },
  {
    what: 'few ephemeral ports on a Mac',
    facts: { ephemeralPorts: 10, platform: 'darwin' },
    expected: [['ephemeral ports', 'warning', /^10 /, /net\.inet\.ip\.portrange\.first=/]],
  },
  {
    what: 'few open files',
    facts: { openFilesMax: 4049 },
    expected: [['open files', 'warning', /^at most 4,049 .* enough for 1,999 VUs/, /ulimit -Hn 65536$/]],
  },
  {
    what: 'fewer open files than k6 always needs',
    facts: { openFilesMax: 20 },
    expected: [['open files', 'warning', /enough for 0 VUs/]],
  },
  { what: 'no limit on open files', facts: { openFilesMax: Number.POSITIVE_INFINITY }, expected: [] },
  {
    what: 'a platform without these limits',
    facts: { platform: 'win32', openFilesMax: null, ephemeralPorts: null },
    expected: [
      ['ephemeral ports', 'unchecked', /^not available on win32$/],
      ['open files', 'unchecked', /^not available on win32$/],
    ],
  },
  {
    what: 'a clock that was set back',
    facts: { clock: { ...clock, wallMs: 479, steadyMs: 500 } },
    expected: [
      ['clock', 'warning', /^the wall clock went 21 ms too short within 0\.5 s/, /timedatectl set-ntp true$/],
    ],
  },
  {
    what: 'a clock that was set forward',
    facts: { clock: { ...clock, wallMs: 3_600_500, steadyMs: 500 } },
    expected: [['clock', 'warning', /went 3600000 ms too far/]],
  },
  {
    what: 'a clock that was never set',
    facts: { clock: { ...clock, now: new Date(0) } },
    expected: [['clock', 'problem', /^the clock shows 1970-01-01T00:00:00\.000Z/, /timedatectl/]],
  },
  {
    what: 'a core and a half',
    facts: { cores: 1.5 },
    expected: [['cores', 'warning', /^1\.5 for this process: stub and/, /two cores/]],
  },
  {
    what: 'a gibibyte',
    facts: { memoryBytes: GIB },
    expected: [['memory', 'warning', /^1\.0 GiB/, /BREAKWATER_K6/]],
  },
  {
    what: 'no permission to write runs here',
    facts: { folders: { ...folders, runs: { ...folders.runs, failure: 'permission denied' } } },
    expected: [['run folders', 'problem', /^\/mine\/runs: permission denied$/, /--output/]],
  },
  {
    what: 'no permission to write temporary files',
    facts: { folders: { ...folders, temporary: { ...folders.temporary, failure: 'permission denied' } } },
    expected: [['temporary folder', 'problem', /^\/tmp: permission denied$/, /TMPDIR/]],
  },
  {
    what: 'a read-only cache before k6 is built',
    facts: {
      k6: NOT_BUILT,
      folders: { ...folders, cache: { ...folders.cache, failure: 'the file system is read-only' } },
    },
    expected: [
      ['k6', 'warning', /not built/],
      ['cache folder', 'problem', /read-only$/, /XDG_CACHE_HOME/],
    ],
  },
  {
    what: 'a read-only cache with k6 in it',
    facts: { folders: { ...folders, cache: { ...folders.cache, failure: 'the file system is read-only' } } },
    expected: [],
  },
  {
    what: 'a disk too full for a build',
    facts: { k6: NOT_BUILT, folders: { ...folders, cache: { ...folders.cache, freeBytes: 2 * GIB } } },
    expected: [
      ['k6', 'warning', /not built/],
      ['cache folder', 'warning', /2\.0 GiB free; 2\.9 GiB may be needed$/],
    ],
  },
  {
    what: 'a disk too full for a run',
    facts: { folders: { ...folders, runs: { ...folders.runs, freeBytes: 150 * 2 ** 20 } } },
    expected: [['run folders', 'warning', /150 MiB free; 200 MiB may be needed$/, /runs prune --keep 20$/]],
  },
]

test.each(BROKEN)('$what', ({ facts, expected }) => {
  const found = checkMachine({ ...GOOD_MACHINE, ...facts }).filter(({ verdict }) => verdict !== 'ok')
  expect(found.map(({ check, verdict }) => [check, verdict])).toEqual(
    expected.map(([check, verdict]) => [check, verdict]),
  )
  expected.forEach(([, , saw, remedy = /^/], index) => {
    expect(found[index]?.saw).toMatch(saw)
    const { text = '', command = '' } = found[index]?.remedy ?? {}
    expect(`${text}\n${command}`).toMatch(remedy)
  })
})

test('with k6 built, Go is not needed', () => {
  const findings = checkMachine({ ...GOOD_MACHINE, go: { version: null, hasPip: false } })
  expect(findings[1]).toEqual({ check: 'go', verdict: 'ok', saw: 'not found; not needed, as k6 is built' })
})
