// Feed objectives with real k6, against a stub whose events are three seconds late.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Profile } from '../../contract/profile.ts'
import type { ObjectiveResult, Report } from '../../contract/report.ts'
import type { Objective } from '../../contract/slo.ts'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const RUN_MS_MAX = 120_000
const LATE_MS = 3000

const MIX = {
  name: 'followers',
  description: 'follow what is traded',
  durationSeconds: 60,
  clients: [
    {
      name: 'followers',
      description: 'follow six pools',
      credential: 'session',
      arrivalRate: 1,
      sessionDuration: { distribution: 'constant', seconds: 5 },
      thinkTime: { distribution: 'constant', seconds: 1 },
      feed: { rooms: { pool_stats: 6, ohlcv: 6, trades: 6, protocol_config: 1 } },
      steps: [{ weight: 1, requests: ['explore-page'] }],
    },
  ],
}

const OBJECTIVES: readonly Objective[] = [
  // A clock in whole seconds is enough to distinguish a delay of three seconds from one second and from a minute.
  { quantile: 0.5, feedDelayMsMax: 1000 },
  { quantile: 0.5, feedDelayMsMax: 60_000 },
  { quantile: 0.5, synchronizeMsMax: 60_000 },
]

test('measures the real delay, and none if the profile has no event time', {
  timeout: RUN_MS_MAX,
}, async () => {
  const cwd = temporaryFolder()
  const { stub, writeProfile, control } = await givenStub(cwd)
  await control('/faults', { description: 'late', faults: [{ fault: 'ws-delay', delayMs: LATE_MS }] })
  writeFileSync(join(cwd, 'mix.json'), JSON.stringify(MIX))
  writeFileSync(join(cwd, 'slo.json'), JSON.stringify({ name: 'feed', objectives: OBJECTIVES }))

  const judge = async (out: string, more: Partial<Profile>): Promise<ObjectiveResult[]> => {
    const profile = writeProfile({ more })
    const load = ['load', '--target', profile, '--mix', 'mix.json', '--slo', 'slo.json', '--output', out]
    await runCommandLine([...load, '--rate', '6', '--warm-up', '4s', '--duration', '6s'], { cwd })
    const report = JSON.parse(readFileSync(join(cwd, out, 'report.json'), 'utf8')) as Report // as: written just now
    return report.slo?.objectives.slice(0, OBJECTIVES.length) ?? []
  }

  const timed = await judge('timed', {})
  expect(timed.map(({ verdict }) => verdict)).toEqual(['fail', 'pass', 'pass'])
  expect(timed[0]).toMatchObject({ kind: 'feed-delay', observedMs: expect.any(Number) })
  expect(Number(timed[0]?.kind === 'feed-delay' && timed[0].observedMs)).toBeGreaterThanOrEqual(LATE_MS)

  const eventTime = { ...stub.profile.choices.eventTime, path: null }
  const withoutTime = await judge('no-time', { choices: { ...stub.profile.choices, eventTime } })
  expect(withoutTime.map(({ verdict, samples }) => [verdict, samples > 0])).toEqual([
    ['inconclusive', false],
    ['inconclusive', false],
    ['pass', true],
  ])
  expect(withoutTime[0]?.reason).toMatch(/^no samples: the profile does not name the time field of events/)
})
