import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Run } from '../contract/run.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { makeSyntheticCapacityRun, queueTarget } from './capacity/synthetic-capacity-run.ts'
import { type FollowedSeries, followRunFolder, followSeries } from './follow-run.ts'
import { HOSTILE_NAMES, hostileText } from './hostile-text.ts'
import { renderLivePage, waitingState } from './html/render-live.ts'
import { readSeries } from './series/read-series.ts'
import { requests } from './series/test-points.ts'
import { makeSyntheticRun, SYNTHETIC_START } from './synthetic-run.ts'

const RUNNING: Partial<Run> = { job: 'load', state: 'running', finishedAt: null, k6: null }

async function makeRunning(run: Partial<Run> = {}): Promise<{ dir: string; add(second: number): void }> {
  const dir = temporaryFolder()
  await makeSyntheticRun({
    dir,
    seed: 1,
    seconds: 0,
    samplesPerSecond: 0,
    series: [],
    run: { ...RUNNING, ...run },
  })
  const header = readFileSync(join(dir, 'series.ndjson'), 'utf8').split('\n')[0] ?? ''
  writeFileSync(join(dir, 'series.ndjson'), `${header}\n`)
  const add = (second: number) =>
    appendFileSync(
      join(dir, 'series.ndjson'),
      `${JSON.stringify(requests(30, 8, { time: SYNTHETIC_START + second }))}\n`,
    )
  return { dir, add }
}

test('each look has the seconds so far, and the same state if nothing was written', async () => {
  const { dir, add } = await makeRunning()
  const look = followRunFolder({ dir })
  expect((await look()).data).toEqual({ time: null, steps: [] })
  add(0)
  const first = await look()
  expect(first.data.time?.groups[0]?.rates[0]?.values).toEqual([30])
  expect(await look()).toBe(first)
  add(1)
  add(2)
  const later = await look()
  expect(later.data.time?.groups[0]?.rates[0]?.values).toEqual([30, 30, 30])
  expect(later.content).toContain('90 in 3 s, 0 failed')
  expect(later).toMatchObject({ isOver: false, title: 'running: load of synthetic' })
})

test('shows no verdict before the run has ended, and the whole report then', async () => {
  const { dir, add } = await makeRunning()
  const look = followRunFolder({ dir })
  add(0)
  const running = await look()
  expect(headings(running.content)).toEqual(['latency', 'slo', 'feed'])
  expect(running.content).toContain('<h1>Running</h1>')
  expect(running.content).not.toContain('Exit code')
  const files = readdirSync(dir)
  const run = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'))
  writeFileSync(join(dir, 'run.json'), JSON.stringify({ ...run, state: 'interrupted' }))
  const over = await look()
  expect(over).toMatchObject({
    isOver: true,
    status: 'The run has ended: interrupted. This page no longer changes.',
  })
  expect(headings(over.content)).toEqual([
    'changes',
    'latency',
    'limits',
    'rules',
    'slo',
    'feed',
    'bottlenecks',
    'reproduce',
    'notes',
  ])
  expect(await look()).toBe(over)
  expect(readdirSync(dir)).toEqual(files)
})

function headings(content: string): string[] {
  return [...content.matchAll(/<section aria-labelledby="([^"]*)"/g)].map(([, id]) => id ?? '')
}

test('a trial appears in the tables and the charts over load once it has ended', async () => {
  const dir = temporaryFolder()
  const trials = [{ rate: 100 }, { rate: 200 }]
  await makeSyntheticCapacityRun({ dir, seed: 1, target: queueTarget(1000), trials, run: RUNNING })
  const read = (file: string) => readFileSync(join(dir, file), 'utf8').trim().split('\n')
  const [header = '', ...points] = read('series.ndjson').slice(0, -1)
  const facts = read('trials.ndjson')
  const inTrial = (trial: number) => points.filter((line) => JSON.parse(line).tags.trial === String(trial))
  const write = (file: string, lines: readonly string[]) =>
    writeFileSync(join(dir, file), `${lines.join('\n')}\n`)
  write('series.ndjson', [header, ...inTrial(1)])
  write('trials.ndjson', facts.slice(0, 1))
  mkdirSync(join(dir, 'trials', '2'), { recursive: true })
  write('trials/2/series-1.ndjson', [header, ...inTrial(2)])
  const look = followRunFolder({ dir })
  const before = await look()
  expect(before.status).toBe('The run has not finished. Trial 1 at 100 iterations/s ended: pass.')
  expect(before.content).toContain('All 1 trials')
  expect(before.data.steps).toEqual([])
  write('series.ndjson', [header, ...points])
  write('trials.ndjson', facts)
  rmSync(join(dir, 'trials'), { recursive: true })
  const after = await look()
  expect(after.status).toBe('The run has not finished. Trial 2 at 200 iterations/s ended: pass.')
  expect(after.data.steps.map(({ id }) => id)).toEqual(['throughput-chart', 'step-latency-chart'])
  // The measurements only moved to another file.
  const counts = ({ data }: typeof after) => data.time?.groups.map(({ rates }) => rates)
  expect(counts(after)).toEqual(counts(before))
})

test('texts of a run folder stay text in the page and in its events', async () => {
  const names = fc.oneof(fc.constantFrom(...Object.values(HOSTILE_NAMES)), hostileText.filter(Boolean))
  const tame = await elementsWith('tame')
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      expect(await elementsWith(name)).toEqual(tame)
    }),
    { numRuns: 40 },
  )
})

/** The tags of the page of a run that has this name wherever others choose one, its data apart. */
async function elementsWith(name: string): Promise<string[]> {
  const { dir } = await makeRunning({
    target: { name, baseUrl: name, wsUrl: name, control: false },
    machine: name,
    mix: name,
    slo: { name, objectives: [{ routeGroup: name, quantile: 0.5, latencyMsMax: 1 }] },
  })
  const point = requests(30, 8, {
    time: SYNTHETIC_START,
    tags: { route_group: `g${name}`, name, status: '200' },
  })
  appendFileSync(join(dir, 'series.ndjson'), `${JSON.stringify(point)}\n`)
  const state = await followRunFolder({ dir })()
  const page = renderLivePage(state)
  const [, body = '', data = ''] =
    /<body>(.*)<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? []
  expect(JSON.parse(data)).toEqual(JSON.parse(JSON.stringify(state.data)))
  expect(body).toContain(state.content)
  return body.match(/<[^>]*/g)?.map((tag) => /^<\/?[a-z0-9]*/.exec(tag)?.[0] ?? tag) ?? []
}

test('the page may connect only to its own server', () => {
  const page = renderLivePage(waitingState())
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? ''
  expect(policy.replaceAll(/'sha256-[^']*'/g, 'HASH').split('; ')).toEqual([
    "default-src 'none'",
    'script-src HASH HASH HASH HASH HASH',
    'style-src HASH',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ])
})

const HEADER = { type: 'header', format: 2, k6: '2.2.0', start: '2026-01-02T03:04:05.000Z', scale: 7 }
const END = { type: 'end', time: '2026-01-02T03:05:05.000Z', samples: 8 }

function lines(...values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('')
}

function inTrial(trial: number, count: number, time: number) {
  return requests(count, 8, {
    time,
    tags: { route_group: 'pools', name: 'GET /pools', trial: String(trial) },
  })
}

function count({ series }: Pick<FollowedSeries, 'series'>): number {
  return [...series.routes.values()].reduce((sum, { latency }) => sum + latency.count, 0)
}

function openFolder() {
  const dir = temporaryFolder()
  const file = join(dir, 'series.ndjson')
  const follow = followSeries(dir)
  return { dir, file, look: () => follow(file, { slo: null, slices: [] }) }
}

test('a missing series has no requests, and each look adds the lines of a growing one', async () => {
  const { file, look } = openFolder()
  expect(await look()).toMatchObject({ complete: false, damaged: false, isSame: false })
  writeFileSync(file, lines(HEADER, requests(3, 8)))
  const first = await look()
  expect([count(first), first.isSame, first.complete]).toEqual([3, false, false])
  appendFileSync(file, lines(requests(4, 8, { time: 2 })))
  expect(count(await look())).toBe(7)
  expect((await look()).isSame).toBe(true)
  appendFileSync(file, lines(END))
  expect(await look()).toMatchObject({ complete: true, isSame: false })
})

test('reads a line once its end is written', async () => {
  const { file, look } = openFolder()
  const line = lines(requests(3, 8, { tags: { name: 'GET /é' } }))
  const bytes = Buffer.from(line)
  // Cut within the two bytes of é.
  const cut = bytes.indexOf(0xc3) + 1
  writeFileSync(file, Buffer.concat([Buffer.from(lines(HEADER)), bytes.subarray(0, cut)]))
  expect(count(await look())).toBe(0)
  appendFileSync(file, bytes.subarray(cut))
  const read = await look()
  expect([...read.series.routes.values()].map(({ name, latency }) => [name, latency.count])).toEqual([
    ['GET /é', 3],
  ])
})

test('counts a trial once, from its own folder and then from the series that it is merged into', async () => {
  const { dir, file, look } = openFolder()
  writeFileSync(file, lines(HEADER, inTrial(1, 5, 1)))
  mkdirSync(join(dir, 'trials', '2'), { recursive: true })
  const trial = join(dir, 'trials', '2', 'series-1.ndjson')
  writeFileSync(trial, lines(HEADER, inTrial(2, 10, 9)))
  expect(count(await look())).toBe(15)
  appendFileSync(trial, lines(inTrial(2, 10, 10)))
  expect(count(await look())).toBe(25)
  appendFileSync(file, lines(inTrial(2, 10, 9), inTrial(2, 12, 10)))
  // Until the folder is removed, the series may have only a part of the trial.
  expect(count(await look())).toBe(25)
  rmSync(join(dir, 'trials'), { recursive: true })
  const merged = await look()
  expect([count(merged), merged.isSame]).toEqual([27, false])
})

test('a series that became shorter is read again', async () => {
  const { file, look } = openFolder()
  const start = lines(HEADER, requests(3, 8))
  writeFileSync(file, start + lines(requests(4, 8, { time: 2 })))
  expect(count(await look())).toBe(7)
  truncateSync(file, start.length)
  expect(count(await look())).toBe(3)
})

test('reads nothing beyond a damaged line, and never follows a link', async () => {
  const { dir, file, look } = openFolder()
  writeFileSync(file, `${lines(HEADER, requests(3, 8))}damage\n`)
  expect(await look()).toMatchObject({ damaged: true })
  appendFileSync(file, lines(requests(4, 8, { time: 2 })))
  expect(count(await look())).toBe(3)
  rmSync(file)
  symlinkSync(join(dir, 'other'), file)
  await expect(look()).rejects.toThrow('links in a run folder are not followed')
})

test('however a series grows, the last look agrees with reading the whole file', async () => {
  const points = Array.from({ length: 12 }, (_, second) =>
    requests(second + 1, 2 ** second, { time: 100 + second, tags: { name: `GET /ü${second % 3}` } }),
  )
  const bytes = Buffer.from(lines(HEADER, ...points, END))
  const cuts = fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const { file, look } = openFolder()
      let from = 0
      for (const to of [...places.sort((a, b) => a - b), bytes.length]) {
        appendFileSync(file, bytes.subarray(from, to))
        from = to
        await look()
      }
      const { isSame: _isSame, ...followed } = await look()
      expect(followed).toEqual(await readSeries(file, { slo: null, slices: [] }))
    }),
    { numRuns: 30 },
  )
})
