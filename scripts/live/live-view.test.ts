import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { LiveState } from '../../reports/html/render-live.ts'
import { requests } from '../../reports/series/test-points.ts'
import { makeSyntheticRun, SYNTHETIC_START } from '../../reports/synthetic-run.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { openLiveView } from './live-view.ts'
import { fetchLive, liveEvents, nextOf } from './test-live-client.ts'

async function open() {
  const view = await openLiveView()
  let ended: Promise<void> | undefined
  const end = () => {
    ended ??= view.end()
    return ended
  }
  onTestFinished(end)
  return { ...view, end }
}

/** A run that is still going on, with one second of requests. */
async function makeRunning() {
  const dir = temporaryFolder()
  const run = { job: 'load', state: 'running', finishedAt: null } as const
  await makeSyntheticRun({ dir, seed: 1, seconds: 0, samplesPerSecond: 0, series: [], run })
  const series = join(dir, 'series.ndjson')
  const header = readFileSync(series, 'utf8').split('\n')[0] ?? ''
  writeFileSync(series, `${header}\n`)
  const add = (second: number) =>
    appendFileSync(series, `${JSON.stringify(requests(30, 8, { time: SYNTHETIC_START + second }))}\n`)
  const setState = (state: string) => {
    const file = join(dir, 'run.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), state }))
  }
  add(0)
  return { dir, add, setState }
}

async function nextState(events: ReturnType<typeof liveEvents>): Promise<LiveState> {
  return JSON.parse((await nextOf(events)).data)
}

test('sends the growing run, and its end', { timeout: 60_000 }, async () => {
  const { dir, add, setState } = await makeRunning()
  const view = await open()
  const events = liveEvents(view.url)
  expect(await nextState(events)).toMatchObject({ isOver: false, status: 'The run has not started yet.' })
  view.watch({ dir })
  expect((await nextState(events)).content).toContain('30 in 1 s, 0 failed')
  add(1)
  expect((await nextState(events)).content).toContain('60 in 2 s, 0 failed')
  setState('finished')
  const ended = view.end()
  const last = await nextState(events)
  expect(last).toMatchObject({ isOver: true })
  expect(last.status).toMatch(/^The run has ended: inconclusive\./)
  expect((await events.next()).done).toBe(true)
  await ended
})

test('a page that is opened later has the newest state', async () => {
  const { dir, add } = await makeRunning()
  const view = await open()
  view.watch({ dir })
  add(1)
  expect((await fetchLive(view.url)).body).toContain('60 in 2 s, 0 failed')
})

test('a folder that cannot be read changes only the status', { timeout: 60_000 }, async () => {
  const { dir } = await makeRunning()
  const view = await open()
  view.watch({ dir })
  await fetchLive(view.url)
  const events = liveEvents(view.url)
  const before = await nextState(events)
  rmSync(join(dir, 'run.json'))
  const after = await nextState(events)
  expect(after.status).toContain('The run folder cannot be read.')
  expect(after.status).toContain('run.json is missing')
  expect(after.content).toBe(before.content)
})

test('a command that ends before its run says so', async () => {
  const view = await open()
  const events = liveEvents(view.url)
  await nextState(events)
  const ended = view.end()
  expect(await nextState(events)).toMatchObject({
    isOver: true,
    status: 'The command has ended. This page no longer changes.',
  })
  await ended
})
