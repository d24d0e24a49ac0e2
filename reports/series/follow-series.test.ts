import { appendFileSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { type FollowedSeries, followSeries } from './follow-series.ts'
import { readSeries } from './read-series.ts'
import { requests } from './test-points.ts'

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
