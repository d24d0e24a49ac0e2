import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LOAD_START } from '../../contract/scenario-config.ts'
import { SINCE_DUE } from '../../contract/series.ts'
import type { Slo } from '../../contract/slo.ts'
import { bucketSamples } from '../../reports/synthetic-run.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { createWatch, type EndEarly, type WatchedTrial, watchTrial } from './run-trial.ts'

const SLO: Slo = { name: 's', objectives: [{ routeGroup: '*', quantile: 0.5, latencyMsMax: 100 }] }

/** A minute ago, so that the whole trial is over. */
const START = Math.floor(Date.now() / 1000) - 60

test('aborts a trial whose objective can no longer be met, not before', async () => {
  const { file, look } = watched()
  // A warm-up does not count, however slow.
  append(
    file,
    start(),
    requests(START + 1, { count: 500, ms: 900 }),
    requests(START + 2, { count: 100, ms: 10 }),
  )
  expect(await look()).toBeUndefined()
  append(file, requests(START + 3, { count: 99, ms: 900 }))
  expect(await look()).toBeUndefined()
  append(file, requests(START + 4, { count: 20, ms: 900 }))
  expect(await look()).toEqual({
    ended: 'aborted',
    reason: 'p50 of all requests at most 100 ms: can no longer be met',
  })
})

test('continues while future requests could still meet the objective', async () => {
  const { file, look } = watched()
  append(file, start(), requests(START + 3, { count: 100, ms: 900 }))
  // Two seconds later: three judged seconds with 50 requests each are still to come.
  expect(await look((START + 6) * 1000)).toBeUndefined()
  expect(await look()).toMatchObject({ ended: 'aborted' })
})

test('expects the requests of seconds that have not arrived from all runners', async () => {
  const { file, other, look } = watched({}, 2)
  append(file, start(), requests(START + 3, { count: 100, ms: 900 }))
  append(other, start())
  // By the clock, the trial is over; five judged seconds with 50 requests each may still arrive.
  expect(await look(undefined, { arrivedTo: START + 2 })).toBeUndefined()
  append(file, point(START + 9, 'generator_seconds', 1))
  expect(await look(undefined, { arrivedTo: START + 2 })).toBeUndefined()
  append(other, point(START + 9, 'generator_seconds', 1))
  expect(await look(undefined, { arrivedTo: START + 2 })).toMatchObject({ ended: 'aborted' })
})

test('judges nothing until all generators have started', async () => {
  const { file, other, look } = watched({}, 2)
  append(file, start(), requests(START + 3, { count: 200, ms: 900 }))
  expect(await look()).toBeUndefined()
  // Started two seconds later: the third second of the first is the warm-up of the second.
  append(other, start(2), requests(START + 4, { count: 50, ms: 10 }))
  expect(await look()).toBeUndefined()
  append(other, requests(START + 5, { count: 80, ms: 900 }))
  expect(await look()).toMatchObject({ ended: 'aborted' })
})

test('ends a trial that used its request budget, warm-up included; stages are never hopeless', async () => {
  const { file, look } = watched({ requestsLeft: 150, endsHopeless: false })
  append(
    file,
    start(),
    requests(START + 1, { count: 100, ms: 900 }),
    requests(START + 3, { count: 49, ms: 900 }),
  )
  expect(await look()).toBeUndefined()
  append(file, requests(START + 4, { count: 1, ms: 900 }))
  expect(await look()).toEqual({ ended: 'budget', reason: 'the request budget of the search was used up' })
})

test('polls by itself and reports once', async () => {
  const { trial, file } = watched()
  append(
    file,
    start(),
    requests(START + 3, { count: 200, ms: 900 }),
    point(START + 9, 'generator_seconds', 1),
  )
  const ended: EndEarly[] = []
  await new Promise<void>((resolve) => {
    const watch = watchTrial(trial, (end) => {
      ended.push(end)
      resolve()
    })
    onTestFinished(watch.stop)
  })
  expect(ended).toMatchObject([{ ended: 'aborted' }])
})

function watched(more: Partial<WatchedTrial> = {}, instances = 1) {
  const folder = temporaryFolder()
  const files = Array.from({ length: instances }, (_, index) => join(folder, `series-${index + 1}.ndjson`))
  for (const file of files) writeFileSync(file, '')
  const trial: WatchedTrial = {
    files,
    slo: SLO,
    rate: 50,
    warmUpSeconds: 2,
    seconds: 5,
    vusMax: 10,
    requestsPerIteration: 1,
    requestsLeft: null,
    endsHopeless: true,
    ...more,
  }
  const watch = createWatch(trial)
  const look = (nowMs = (START + 60) * 1000, { arrivedTo = nowMs / 1000 } = {}) => {
    for (const file of files) append(file, point(arrivedTo, 'generator_seconds', 1))
    return watch.look(nowMs)
  }
  return { trial, file: files[0] ?? '', other: files[1] ?? '', look }
}

function append(file: string, ...points: object[]): void {
  appendFileSync(file, points.map((point) => `${JSON.stringify(point)}\n`).join(''))
}

function start(afterSeconds = 0) {
  return point(START + afterSeconds, LOAD_START, (START + afterSeconds) * 1000)
}

function point(time: number, metric: string, value: number) {
  const values = Object.fromEntries(['sum', 'min', 'max', 'last'].map((field) => [field, value]))
  return { time, metric, type: 'gauge', contains: 'default', tags: { trial: '1' }, count: 1, ...values }
}

function requests(time: number, { count, ms }: { count: number; ms: number }) {
  const tags = { route_group: 'pools', name: 'GET /pools', trial: '1' }
  const values = Array.from({ length: count }, () => ms)
  const trend = { count, sum: count * ms, min: ms, max: ms, zero: 0, buckets: bucketSamples(values) }
  return { time, metric: SINCE_DUE, type: 'trend', contains: 'time', tags, ...trend }
}
