import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { projectPath } from '../../project.ts'
import { runnerHealth, runnersHealth, seriesEndOf } from './cluster-facts.ts'

const HEADER = '{"type":"header","format":1,"k6":"2.2.0","start":"2026-11-22T10:00:00.000Z","scale":5}\n'
const point = (time: number) => `{"time":${time},"metric":"http_reqs","type":"counter","count":1}\n`

function file(text: string): string {
  const path = join(temporaryFolder(), 'series.ndjson')
  writeFileSync(path, text)
  return path
}

test('a file that is whole tells its end, one that is cut until its last second', async () => {
  const whole = file(`${HEADER}${point(1000)}{"type":"end","time":"1970-01-01T00:20:00.250Z","samples":1}\n`)
  expect(await seriesEndOf([whole])).toBe(1_200_250)
  const cut = file(`${HEADER}${point(1000)}${point(1007)}{"time":1008,"met`)
  expect(await seriesEndOf([cut])).toBe(1_008_000)
  expect(await seriesEndOf([whole, cut])).toBe(1_008_000)
  expect(await seriesEndOf([cut, whole])).toBe(1_008_000)
})

test('only the end of a long file is read', async () => {
  const long = file(`${HEADER}${point(1).repeat(40_000)}${point(1009)}`)
  expect(await seriesEndOf([long])).toBe(1_010_000)
})

test('one that tells of nothing leaves no time at which all told', async () => {
  const whole = file(`${HEADER}${point(1000)}`)
  expect(await seriesEndOf([whole, file(HEADER)])).toBeNull()
  expect(await seriesEndOf([join(temporaryFolder(), 'nowhere.ndjson'), whole])).toBeNull()
  expect(await seriesEndOf([file('')])).toBeNull()
})

const WINDOW = { from: 1000, to: 1060, cores: 2 }
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

/** By second, what a runner tells: of counters by how much they have grown. */
type Told = Record<string, number>

const COUNTERS = new Set(['seconds', 'cpu_seconds', 'run_delay_seconds', 'periods', 'throttled_periods'])

function linesOf(time: number, told: Told): string[] {
  return Object.entries(told).map(([name, sum]) => {
    const type = COUNTERS.has(name) ? 'counter' : 'gauge'
    const last = type === 'gauge' ? { min: sum, max: sum, last: sum } : {}
    const head = { time, metric: `generator_${name}`, type, contains: 'default', tags: {}, count: 1, sum }
    return JSON.stringify({ ...head, ...last })
  })
}

function fileOf(lines: readonly string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'breakwater-test-')), 'series-1.ndjson')
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
  ports_used: 9,
  ports_max: 28_232,
  resident_mb: 80.5,
}

test('a runner did on average what it told of the window, and at the most what it told once', async () => {
  const file = fileOf([
    ...linesOf(999, { ...HALF_BUSY, cpu_seconds: 9, open_files: 900 }),
    ...linesOf(1000, HALF_BUSY),
    ...linesOf(1030, { ...HALF_BUSY, cpu_seconds: 0.25, periods: 5, throttled_periods: 5, open_files: 30 }),
    ...linesOf(1059, { ...HALF_BUSY, cpu_seconds: 0, throttled_periods: 0, resident_mb: 90 }),
    ...linesOf(1060, { ...HALF_BUSY, cpu_seconds: 9, open_files: 900 }),
  ])
  expect(await runnerHealth(file, WINDOW)).toEqual({
    cpuCores: 0.2,
    cpuCoresMax: 0.5,
    machineBusy: null,
    runQueueCores: 0.2,
    throttledShare: 7 / 25,
    openFilesMax: 30,
    openFilesLimit: 1024,
    portsUsedMax: 9,
    portsMax: 28_232,
    residentMbMax: 90,
  })
})

test('without a limit of cores there are no periods, and nothing is said of them', async () => {
  const file = fileOf(linesOf(1000, { seconds: 1, periods: 0, throttled_periods: 0, cores_max: 4 }))
  expect(await runnerHealth(file, WINDOW)).toEqual({ ...NOTHING, cpuCoresMax: 4 })
})

test.each([
  ['no file', () => '/nowhere/series-1.ndjson'],
  ['a file of a k6 that was not watched', () => fileOf(['{"type":"header"}', '{"type":"end"}'])],
  ['a file that told of itself at other times', () => fileOf(linesOf(500, HALF_BUSY))],
  [
    'a file that ends before its line does',
    () => fileOf(linesOf(1000, { open_files: 3 }).map((line) => line.slice(0, -9))),
  ],
])('of %s nothing is known but what it was given', async (_, file) => {
  expect(await runnerHealth(file(), WINDOW)).toEqual(NOTHING)
})

test('only its own points count, whatever other lines have in them', async () => {
  const [own = ''] = linesOf(1000, { open_files: 3 })
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
  expect((await runnerHealth(fileOf([...others, own, ...others]), WINDOW)).openFilesMax).toBe(3)
})

test('points are found wherever the file is cut to be read', async () => {
  const filler = JSON.stringify({
    time: 1000,
    metric: 'http_reqs',
    type: 'counter',
    tags: { name: 'x'.repeat(700) },
  })
  const lines = Array.from({ length: 5000 }, () => [filler, ...linesOf(1000, { seconds: 2, cpu_seconds: 1 })])
  expect((await runnerHealth(fileOf(lines.flat()), WINDOW)).cpuCores).toBe(0.5)
  const uneven = Array.from({ length: 5000 }, (_, index) => linesOf(1000, { seconds: 1, cpu_seconds: index }))
  expect((await runnerHealth(fileOf(uneven.flat()), WINDOW)).cpuCores).toBe(4999 / 2)
})

test('runners have cores of their own each; of what stops one of them, the worst is told', async () => {
  const one = fileOf(linesOf(1000, HALF_BUSY))
  const two = fileOf(linesOf(1000, { ...HALF_BUSY, throttled_periods: 9, open_files: 900 }))
  const both = await runnersHealth([one, two], WINDOW)
  expect(both).toMatchObject({ cpuCores: 0.8, cpuCoresMax: 1, throttledShare: 0.9, openFilesMax: 900 })
  const silent = await runnersHealth([one, fileOf([])], WINDOW)
  expect(silent).toMatchObject({ cpuCores: null, cpuCoresMax: 2.5, throttledShare: 0.2, openFilesMax: 12 })
})

test('k6 tells what is read here, and docs/formats.md tells of all of it', () => {
  const namesIn = (file: string, pattern: RegExp) =>
    [
      ...new Set([...readFileSync(projectPath(file), 'utf8').matchAll(pattern)].map(([, name]) => name)),
    ].sort()
  const told = namesIn('k6/series/watch.go', /\{"(generator_\w+)", metrics\./g)
  expect(told).toHaveLength(11)
  expect(namesIn('docs/formats.md', /`(generator_\w+)`/g)).toEqual(told)
  expect(namesIn('scripts/k8s/run/cluster-facts.ts', /'(generator_\w+)'/g)).toEqual(told)
})
