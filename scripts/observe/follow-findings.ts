import type { z } from 'zod'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { findingsSchema } from '../../simulator/control/finding-resources.ts'
import type { ControlApi } from '../control-api.ts'
import { orInterrupted } from '../interrupted.ts'
import type { Io } from '../io.ts'

export type SeenFinding = z.output<typeof findingsSchema>['findings'][number]

export type Followed = {
  findings: readonly SeenFinding[]
  /** How often each rule was at stake meanwhile. */
  cases: Readonly<Record<string, number>>
  /** And broken: more often than there are findings, where a client goes on with the same. */
  breaches: Readonly<Record<string, number>>
  /** Why it ended early; null where it was followed to its end, or the user’s. */
  lost: Error | null
}

const LOOK_EVERY_MS = 250
const PAGE = 1000

/**
 * Hands on each finding as it comes, until the time is up or the user asks for the end. `from`: those that come from now on,
 * or all that the stub still knows.
 */
export async function followFindings(options: {
  api: ControlApi
  io: Io
  forMs: number | undefined
  from: 'now' | 'start'
  onFinding: (finding: SeenFinding) => void
}): Promise<Followed> {
  const { api, io, forMs, from, onFinding } = options
  const findings: SeenFinding[] = []
  const read = (after: number) =>
    api.call({ method: 'GET', path: `/findings?after=${after}&limit=${PAGE}`, output: findingsSchema })
  const take = async (after: number) => {
    for (let last = after; ; ) {
      const page = await read(last)
      for (const finding of page.findings) {
        findings.push(finding)
        onFinding(finding)
      }
      const newest = page.findings.at(-1)?.number
      if (page.findings.length < PAGE) return { ...page, last: newest ?? last }
      last = newest ?? last
    }
  }

  // Also where all is wanted: a stub that is not there to begin with has lost nothing.
  const begun = await read(Number.MAX_SAFE_INTEGER)
  const before = from === 'now' ? begun : { last: 0, cases: {}, breaches: {} }
  let seen: Pick<typeof begun, 'last' | 'cases' | 'breaches'> = before
  const endMs = performance.now() + (forMs ?? Number.POSITIVE_INFINITY)
  let lost: Error | null = null
  try {
    for (;;) {
      seen = await take(seen.last)
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) break
      await orInterrupted(io.interrupted, pause(Math.min(LOOK_EVERY_MS, leftMs)))
    }
  } catch (error) {
    // What was seen until then counts, also where the stub has ended.
    if (!io.interrupted.aborted) lost = asLost(error)
  }
  const cases = growth(before.cases, seen.cases)
  return { findings, cases, breaches: growth(before.breaches, seen.breaches), lost }
}

function growth(before: Followed['cases'], after: Followed['cases']): Followed['cases'] {
  return Object.fromEntries(Object.entries(after).map(([rule, count]) => [rule, count - (before[rule] ?? 0)]))
}

function asLost(error: unknown): Error {
  if (error instanceof BreakwaterError) return error
  throw error
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
