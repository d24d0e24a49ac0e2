import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SeriesPoint } from '../../contract/series.ts'
import { findPoints } from './read-series.ts'
import { sumPoint } from './test-points.ts'

let file: string
beforeEach(async () => {
  file = path.join(await mkdtemp(path.join(tmpdir(), 'breakwater-find-')), 'series.ndjson')
})
afterEach(() => rm(path.dirname(file), { recursive: true, force: true }))

test('finds the points of the requested metrics anywhere', async () => {
  const wanted = ['load_start', 'load_started'].map((metric) => sumPoint(1, { metric, time: 7 }))
  const others = [
    sumPoint(2, { metric: 'iterations', tags: { metric: 'load_start' } }),
    sumPoint(2, { metric: 'overload_start' }),
    sumPoint(2, { metric: '"metric":"load_start"' }),
  ]
  const filler = Array.from({ length: 3000 }, (_, time) => sumPoint(3, { metric: 'iterations', time }))
  const lines = [...others, wanted[0], ...filler, wanted[1], ...others]
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect(await found()).toEqual(wanted)
})

test('skips damaged and truncated lines', async () => {
  const line = JSON.stringify(sumPoint(1, { metric: 'load_start' }))
  await writeFile(file, `x${line}\n${line.replace('"sum":1', '"sum":""')}\n${line}\n${line.slice(0, -1)}`)
  expect(await found()).toEqual([JSON.parse(line)])
})

test('finds none in a missing file, and reports an unreadable one', async () => {
  expect(await found()).toEqual([])
  await expect(found(path.dirname(file))).rejects.toMatchObject({
    message: `${path.dirname(file)}: cannot be read: it is a folder, not a file`,
  })
})

async function found(of = file): Promise<SeriesPoint[]> {
  const points: SeriesPoint[] = []
  for await (const point of findPoints(of, 'load_start')) points.push(point)
  return points
}
