import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sumPoint } from '../../reports/series/test-points.ts'
import { readLoadStart } from './judge-trial.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-fold-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('a load starts when its last k6 starts', async () => {
  const starts = await Promise.all([5100, 7300, 6200].map((ms) => written(String(ms), ms)))
  expect(await readLoadStart(starts)).toBe(7300)
  expect(await readLoadStart([...starts, await written('none')])).toBe(null)
  expect(await readLoadStart([...starts, path.join(dir, 'missing')])).toBe(null)
})

async function written(name: string, startMs?: number): Promise<string> {
  const file = path.join(dir, name)
  const start = { metric: 'load_start', type: 'gauge', min: startMs, max: startMs, last: startMs } as const
  const points = [
    sumPoint(9000, { metric: 'load_start_of_another', max: 9000 }),
    sumPoint(1, { metric: 'iterations' }),
    ...(startMs === undefined ? [] : [{ ...sumPoint(startMs, { metric: 'load_start' }), ...start }]),
  ]
  await writeFile(file, points.map((point) => `${JSON.stringify(point)}\n`).join(''))
  return file
}
