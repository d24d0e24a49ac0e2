// Real runs, each case twice: what a seed brings about, it brings about again.
import { expect, test } from 'vitest'
import { CASE_MS_MAX, PLAYED_CASES, runCase } from '../test/run-case.ts'

test.each(PLAYED_CASES)(
  '%s holds on the stub, and is told the same again',
  { timeout: CASE_MS_MAX },
  async (name) => {
    const first = await runCase(name)
    expect(first.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    expect(first.exitCode).toBe(0)
    const second = await runCase(name)
    expect(second.timeline).toBe(first.timeline)
    expect(first.timeline.split('\n').length).toBeGreaterThan(10)
  },
)
