import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { projectPath } from '../project.ts'
import { readGeneratorHealth } from './generator-health.ts'

const WINDOW = { from: 1000, to: 1060, cores: 2 }

const readHealth = (file: string, window = WINDOW) => readGeneratorHealth([file], window)

const NOTHING = {
  cpuCores: null,
  cpuCoresMax: 2,
  machineBusy: null,
  runQueueCores: null,
  throttledShare: null,
  openFilesMax: null,
  openFilesLimit: null,
  portsUsedMax: null,
  portsMax: null,
  residentMbMax: null,
}

/** Figures of one second; counters as increments. */
type Values = Record<string, number>

const COUNTERS = new Set([
  'seconds',
  'cpu_seconds',
  'run_delay_seconds',
  'periods',
  'throttled_periods',
  'machine_seconds',
  'machine_busy_seconds',
])

function formatLines(time: number, values: Values): string[] {
  return Object.entries(values).map(([name, sum]) => {
    const type = COUNTERS.has(name) ? 'counter' : 'gauge'
    const last = type === 'gauge' ? { min: sum, max: sum, last: sum } : {}
    const head = { time, metric: `generator_${name}`, type, contains: 'default', tags: {}, count: 1, sum }
    return JSON.stringify({ ...head, ...last })
  })
}

function writeLines(lines: readonly string[]): string {
  const file = join(temporaryFolder(), 'series-1.ndjson')
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  return file
}

const HALF_BUSY = {
  seconds: 1.25,
  cpu_seconds: 0.5,
  run_delay_seconds: 0.25,
  periods: 10,
  throttled_periods: 2,
  cores_max: 0.5,
  open_files: 12,
  open_files_limit: 1024,
  machine_seconds: 2.5,
  machine_busy_seconds: 1.875,
  machine_cores: 1.5,
  time_wait_sockets: 6,
  ports_max: 28_232,
  resident_mb: 80.5,
}

test('counters are averaged over the window; gauges use the maximum', async () => {
  const file = writeLines([
    ...formatLines(999, { ...HALF_BUSY, cpu_seconds: 9, open_files: 900 }),
    ...formatLines(1000, HALF_BUSY),
    ...formatLines(1030, {
      ...HALF_BUSY,
      cpu_seconds: 0.25,
      periods: 5,
      throttled_periods: 5,
      open_files: 30,
    }),
    ...formatLines(1059, { ...HALF_BUSY, cpu_seconds: 0, throttled_periods: 0, resident_mb: 90 }),
    ...formatLines(1060, { ...HALF_BUSY, cpu_seconds: 9, open_files: 900 }),
  ])
  expect(await readHealth(file, WINDOW)).toEqual({
    cpuCores: 0.2,
    cpuCoresMax: 0.5,
    machineBusy: 0.75,
    runQueueCores: 0.2,
    throttledShare: 7 / 25,
    openFilesMax: 30,
    openFilesLimit: 1024,
    portsUsedMax: 36,
    portsMax: 28_232,
    residentMbMax: 90,
  })
})

test('without a CPU limit there are no throttling periods', async () => {
  const file = writeLines(formatLines(1000, { seconds: 1, periods: 0, throttled_periods: 0, cores_max: 4 }))
  expect(await readHealth(file, WINDOW)).toEqual({ ...NOTHING, cpuCoresMax: 4 })
})

test.each([
  ['no file', () => '/nowhere/series-1.ndjson'],
  ['a file of a k6 that was not watched', () => writeLines(['{"type":"header"}', '{"type":"end"}'])],
  ['a file with data at other times', () => writeLines(formatLines(500, HALF_BUSY))],
  [
    'a file that ends before its line does',
    () => writeLines(formatLines(1000, { open_files: 3 }).map((line) => line.slice(0, -9))),
  ],
])('%s gives only the configured values', async (_, file) => {
  expect(await readHealth(file(), WINDOW)).toEqual(NOTHING)
})

test('only its own points count, whatever other lines contain', async () => {
  const [own = ''] = formatLines(1000, { open_files: 3 })
  const others = [
    own.replace('open_files', 'lag').replace('gauge', 'trend'),
    JSON.stringify({
      time: 1000,
      metric: 'x',
      type: 'gauge',
      tags: { metric: 'generator_open_files' },
      count: 1,
      sum: 9,
      max: 9,
    }),
    JSON.stringify({ time: 1000, metric: own, type: 'gauge', tags: {}, count: 1, sum: 9, max: 9 }),
    own.replace('1000', '1000.5').replaceAll('3', '9'),
    own.replace('"sum":3', '"sum":"3"').replaceAll('3', '9'),
  ]
  expect((await readHealth(writeLines([...others, own, ...others]), WINDOW)).openFilesMax).toBe(3)
})

test('finds points wherever the file is split', async () => {
  const filler = JSON.stringify({
    time: 1000,
    metric: 'http_reqs',
    type: 'counter',
    tags: { name: 'x'.repeat(700) },
  })
  const lines = Array.from({ length: 5000 }, () => [
    filler,
    ...formatLines(1000, { seconds: 2, cpu_seconds: 1 }),
  ])
  expect((await readHealth(writeLines(lines.flat()), WINDOW)).cpuCores).toBe(0.5)
  const uneven = Array.from({ length: 5000 }, (_, index) =>
    formatLines(1000, { seconds: 1, cpu_seconds: index }),
  )
  expect((await readHealth(writeLines(uneven.flat()), WINDOW)).cpuCores).toBe(4999 / 2)
})

test('processes of one machine share cores and ports; each has its own files', async () => {
  const one = writeLines(formatLines(1000, { ...HALF_BUSY, cores_max: 1, open_files: 900 }))
  const two = writeLines(
    formatLines(1000, { ...HALF_BUSY, cores_max: 1, time_wait_sockets: 9, cpu_seconds: 0.25 }),
  )
  expect(await readGeneratorHealth([one, two], WINDOW)).toEqual({
    cpuCores: 0.6,
    cpuCoresMax: 1.5,
    machineBusy: 0.75,
    runQueueCores: 0.4,
    throttledShare: 0.2,
    openFilesMax: 900,
    openFilesLimit: 1024,
    portsUsedMax: 921,
    portsMax: 28_232,
    residentMbMax: 161,
  })
  // Go may be limited to fewer cores than the machine has.
  const [a, b] = [1, 2].map(() => writeLines(formatLines(1000, { cores_max: 1, machine_cores: 4 })))
  expect(await readGeneratorHealth([a ?? '', b ?? ''], WINDOW)).toMatchObject({ cpuCoresMax: 2 })
})

test('usage of a process that ended early counts over the others’ time', async () => {
  const short = writeLines(formatLines(1000, { seconds: 1, cpu_seconds: 1 }))
  const whole = writeLines([1000, 1001].flatMap((at) => formatLines(at, { seconds: 1, cpu_seconds: 0.5 })))
  expect((await readGeneratorHealth([short, whole], WINDOW)).cpuCores).toBe(1)
})

test('k6 writes the metrics that are read here, and docs/reference/formats.md lists them', () => {
  const namesIn = (file: string, pattern: RegExp) =>
    [
      ...new Set([...readFileSync(projectPath(file), 'utf8').matchAll(pattern)].map(([, name]) => name)),
    ].sort()
  const values = namesIn('k6/series/watch.go', /\{"(generator_\w+)", metrics\./g)
  expect(values).toHaveLength(14)
  expect(namesIn('docs/reference/formats.md', /`(generator_\w+)`/g)).toEqual(values)
  expect(namesIn('scripts/load/generator-health.ts', /'(generator_\w+)'/g)).toEqual(values)
})
