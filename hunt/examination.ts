/**
 * The examination of a client: fixed schedules in which the situation of every client rule arises, with time for the
 * client to react. Faults of one schedule follow each other at a distance, so that each is judged alone.
 */
import { faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { mustWork } from './must-work.ts'
import type { HuntWorld, RunSchedule, Schedule, ScheduleRun } from './schedule.ts'

export type Examination = readonly { name: string; purpose: string; durationMs: number; faults: Schedule }[]

export type ExaminationRun = ScheduleRun & Pick<Examination[number], 'name'>

const REQUESTS = { routes: ['GET *'] }
const CLOSE = { fault: 'ws-close' }
const SECOND = 1000

/** The first one shows that the client works. The last one takes its access away, so that nothing can follow. */
export const EXAMINATION: Examination = [
  {
    name: 'undisturbed',
    purpose: 'sign-in, reads, rooms',
    durationMs: 30 * SECOND,
    faults: [],
  },
  {
    name: 'outage',
    purpose: 'a 503 for each read, for as long as a patient client needs to slow down',
    durationMs: 225 * SECOND,
    faults: parse([
      // A client that only listens sends requests when its socket closes.
      { ...CLOSE, when: { afterMs: 20 * SECOND } },
      { fault: 'http-error', where: REQUESTS, when: { afterMs: 20 * SECOND } },
    ]),
  },
  {
    name: 'feed',
    purpose:
      'an unknown control, a pending revision, missed events, a renewal, then lost sockets and rejected upgrades',
    durationMs: 215 * SECOND,
    faults: parse([
      // Twice: a single close right after it may be chance.
      { fault: 'ws-unknown-control', everyMs: 6 * SECOND, when: { afterMs: 7 * SECOND, forMs: 7 * SECOND } },
      {
        fault: 'stale-read',
        behindMs: 5 * SECOND,
        where: { routes: ['GET /protocol/state'] },
        when: { afterMs: 13 * SECOND, forMs: 25 * SECOND },
      },
      { fault: 'revision-storm', everyMs: 3600 * SECOND, when: { afterMs: 14 * SECOND } },
      { fault: 'revision-storm', everyMs: 3600 * SECOND, when: { afterMs: 28 * SECOND } },
      { fault: 'ws-drop', resync: true, when: { afterMs: 28 * SECOND, forMs: 11 * SECOND } },
      { ...CLOSE, everyMs: 12 * SECOND, when: { afterMs: 70 * SECOND, forMs: 85 * SECOND } },
      { fault: 'ws-handshake-error', when: { afterMs: 154 * SECOND, forMs: 6 * SECOND } },
    ]),
  },
  {
    name: 'access',
    purpose:
      'an ended session that tabs refresh at the same time, a short outage, a rate limit, then no access',
    durationMs: 160 * SECOND,
    faults: parse([
      {
        fault: 'early-expiry',
        what: 'access-session',
        livesMs: 25 * SECOND,
        // Affects only the session of the first sign-in.
        when: { forMs: 20 * SECOND },
      },
      { fault: 'refresh-window', latency: { distribution: 'fixed', ms: 1500 } },
      { ...CLOSE, when: { afterMs: 40 * SECOND, forMs: SECOND } },
      { fault: 'http-error', where: REQUESTS, when: { afterMs: 40 * SECOND, forMs: 12 * SECOND } },
      { ...CLOSE, when: { afterMs: 70 * SECOND, forMs: SECOND } },
      {
        fault: 'http-429',
        where: REQUESTS,
        limit: { mode: 'fixed', retryAfterSeconds: 2 },
        when: { afterMs: 70 * SECOND, on: [1, 2, 3] },
      },
      { ...CLOSE, when: { afterMs: 92 * SECOND, forMs: SECOND } },
      {
        fault: 'http-429',
        where: REQUESTS,
        limit: { mode: 'fixed' },
        when: { afterMs: 92 * SECOND, forMs: 4 * SECOND },
      },
      { ...CLOSE, when: { afterMs: 116 * SECOND, forMs: SECOND } },
      // First a request that only one tab sends: if two tabs send it, it may look like a repetition.
      {
        fault: 'http-error',
        where: { routes: ['GET /auth/ws-ticket'] },
        status: 403,
        when: { afterMs: 116 * SECOND },
      },
      { fault: 'http-error', where: REQUESTS, status: 403, when: { afterMs: 126 * SECOND } },
    ]),
  },
]

function parse(faults: readonly object[]): Schedule {
  return faultPlanSchema.parse({ description: 'Schedule of an examination', faults }).faults
}

/**
 * Runs the client under each schedule, the first one alone. Throws a BreakwaterError (environment) if the client does not
 * work without faults, and errors of `run`.
 */
export async function examine(options: {
  run: RunSchedule
  world: HuntWorld
  /** Runs at the same time (default: 1). */
  parallel?: number
  examination?: Examination
  onProgress?: (progress: { done: number; of: number; exercised: number }) => void
}): Promise<readonly ExaminationRun[]> {
  const { run, world, parallel = 1, examination = EXAMINATION, onProgress = () => {} } = options
  const runs: ExaminationRun[] = []
  const report = () => {
    const exercised = new Set(runs.flatMap((one) => one.exercised))
    onProgress({ done: runs.length, of: examination.length, exercised: exercised.size })
  }
  const runNext = async (next: Iterator<Examination[number]>) => {
    for (let step = next.next(); !step.done; step = next.next()) {
      const { name, durationMs, faults } = step.value
      const inWorld = { ...world, durationMs }
      report()
      const result = await run(faults, inWorld)
      if (runs.length === 0) mustWork(result, inWorld)
      runs.push({ ...result, name })
      report()
    }
  }
  const [first, ...others] = examination
  if (first) await runNext([first].values())
  const queue = others.values()
  await Promise.all(Array.from({ length: parallel }, () => runNext(queue)))
  return examination.flatMap(({ name }) => runs.filter((one) => one.name === name))
}
