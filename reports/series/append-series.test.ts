import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SeriesPoint } from '../../contract/series.ts'
import { SYNTHETIC_START } from '../synthetic-run.ts'
import { createSeries } from './append-series.ts'
import { readSeries } from './read-series.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'breakwater-append-'))
  file = path.join(dir, 'series.ndjson')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const START = { k6: '2.2.0', startMs: SYNTHETIC_START * 1000 }

test('appends trials to one file with one header, one end and a sample count', async () => {
  const series = await createSeries({ file, ...START })
  expect(await series.append([written('1', 0, 2), written('2', 0, 3)])).toEqual({
    samples: 5,
    firstSecond: SYNTHETIC_START,
    lastSecond: SYNTHETIC_START,
    complete: true,
    notes: [],
  })
  await series.append([written('1', 7, 4)])
  await series.end(SYNTHETIC_START * 1000 + 9000)
  expect(lines()).toEqual([
    { type: 'header', format: 2, k6: '2.2.0', start: '2026-01-02T03:04:05.000Z', scale: 7 },
    { ...point(0, 5), sum: 5 },
    { ...point(7, 4), sum: 4 },
    { type: 'end', time: '2026-01-02T03:04:14.000Z', samples: 9 },
  ])
})

test('a trial is readable once appended, and a file without an end is incomplete', async () => {
  const series = await createSeries({ file, ...START })
  const iterations = async () => (await readSeries(file)).series.iterations
  await series.append([written('1', 0, 2)])
  expect(await iterations()).toBe(2)
  await series.append([written('1', 1, 3)])
  expect(await iterations()).toBe(5)
  await series.close()
  expect((await readSeries(file)).complete).toBe(false)
})

test('has no end line if an appended file had none, although a later one has', async () => {
  const series = await createSeries({ file, ...START })
  const cut = written('1', 0, 2)
  writeFileSync(cut.file, readFileSync(cut.file, 'utf8').replace('{"type":"end"}\n', ''))
  await series.append([cut])
  await series.append([written('2', 1, 3)])
  await series.end(SYNTHETIC_START * 1000 + 9000)
  expect(lines().slice(1)).toEqual([point(0, 2), point(1, 3)])
})

test('appends nothing for a trial without points', async () => {
  const series = await createSeries({ file, ...START })
  expect(await series.append([{ file: path.join(dir, 'none'), name: 'trials/1/series-1.ndjson' }])).toEqual({
    samples: 0,
    firstSecond: null,
    lastSecond: null,
    complete: false,
    notes: ['trials/1/series-1.ndjson is missing.'],
  })
  await series.close()
})

test('a full disk changes neither the file nor the files to be added', () => {
  mkdirSync(path.join(dir, 'trial'))
  const small = written(path.join('trial', 'small'), 0, 1)
  const large = written(path.join('trial', 'large'), 0, 20_000, 20_000)
  const script = `
    const { createSeries } = await import(${JSON.stringify(path.join(import.meta.dirname, 'append-series.ts'))})
    const series = await createSeries({ file: ${JSON.stringify(file)}, ...${JSON.stringify(START)} })
    const append = (input) => series.append([input]).catch(({ message, hint, exitCode }) => console.log(JSON.stringify({ message, hint, exitCode })))
    await append(${JSON.stringify(small)})
    await append(${JSON.stringify(large)})
    await append(${JSON.stringify(small)})
    await series.end(${START.startMs})`
  writeFileSync(path.join(dir, 'script.mts'), script)
  // 512 bytes: a limit that needs no root and, like a disk, fails in the middle of a write.
  const command = `ulimit -f 600; exec '${process.execPath}' --import tsx '${path.join(dir, 'script.mts')}'`
  const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text)),
  ).toEqual([
    {
      message: `${file}: cannot be written: it would be larger than the system allows`,
      hint: 'Free disk space. series.ndjson is unchanged, and the files to be added are kept.',
      exitCode: 3,
    },
  ])
  const samples = lines().map(({ count, samples: all }) => count ?? all)
  expect(samples).toEqual([undefined, 1, 1, 2])
  expect(readFileSync(large.file, 'utf8').split('\n')).toHaveLength(20_003)
})

test('reports at once that a file cannot be written', async () => {
  await expect(
    createSeries({ file: path.join(dir, 'none', 'series.ndjson'), ...START }),
  ).rejects.toMatchObject({
    message: `${path.join(dir, 'none', 'series.ndjson')}: cannot be written: there is no such file or folder`,
    exitCode: 3,
  })
})

function point(second: number, count: number): SeriesPoint {
  const time = SYNTHETIC_START + second
  return {
    time,
    metric: 'iterations',
    type: 'counter',
    contains: 'default',
    tags: { trial: '1' },
    count,
    sum: count,
  }
}

/** A k6 series with `count` iterations in `lines` lines, a second apart. */
function written(name: string, second: number, count: number, lineCount = 1): { file: string; name: string } {
  const each = count / lineCount
  const points = Array.from({ length: lineCount }, (_, at) => point(second + at, each))
  const all = [{ type: 'header', format: 2, k6: '2.2.0', start: '', scale: 7 }, ...points, { type: 'end' }]
  const input = { file: path.join(dir, name), name }
  writeFileSync(input.file, all.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return input
}

function lines() {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text))
}
