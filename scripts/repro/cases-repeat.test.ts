// Real runs, each case twice: what a seed brings about, it brings about again.
import { expect, test } from 'vitest'
import { projectPath } from '../project-path.ts'
import { CASE_MS_MAX, PLAYED_CASES, runCase } from '../test/run-case.ts'
import { loadCase } from './load-case.ts'

test.each(PLAYED_CASES)(
  '%s holds on the stub, and is told the same again',
  { timeout: CASE_MS_MAX },
  async (name) => {
    const first = await runCase(name)
    expect(first.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    expect(first.exitCode).toBe(0)
    const second = await runCase(name)
    const { races } = await loadCase(name, projectPath('.'))
    const told = races ? endsOf : (timeline: string) => timeline
    expect(told(second.timeline)).toEqual(told(first.timeline))
    expect(told(first.timeline).length).toBeGreaterThan(2)
  },
)

/** Of those who act at once: how it ended for each, and what was judged. */
function endsOf(timeline: string): string[] {
  return timeline
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === 'step' || kind === 'outcome' || kind === 'verdict')
    .map(({ actor, kind, text }) => `${actor} ${kind} ${text}`)
}
