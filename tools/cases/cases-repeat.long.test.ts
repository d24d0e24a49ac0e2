// Runs one case, drawn by the commit, twice: a seed reproduces its results. `npm run nightly` runs all cases.
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { loadCase } from '../../scripts/repro/load-case.ts'
import { CASE_MS_MAX, runCase, TESTED_CASES } from '../test/run-command-line.ts'
import { sampleNames } from '../test/tree-sample.ts'

test.each(sampleNames(TESTED_CASES, 1))(
  '%s passes on the stub, shows what a wrong client breaks, and repeats with the same results',
  { timeout: CASE_MS_MAX },
  async (name) => {
    const first = await runCase(name)
    expect(first.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    expect(first.exitCode).toBe(0)
    const second = await runCase(name)
    const { races, clientRules } = await loadCase(name, projectPath('.'))
    expect(listFindings(first.timeline)).toEqual(new Set(clientRules))
    const normalize = races ? listEnds : (timeline: string) => timeline
    expect(normalize(second.timeline)).toEqual(normalize(first.timeline))
    expect(normalize(first.timeline).length).toBeGreaterThan(2)
  },
)

type Line = { actor: string; kind: string; text: string; rule?: string }

function parseLines(timeline: string): Line[] {
  return timeline
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function listFindings(timeline: string): Set<string | undefined> {
  return new Set(
    parseLines(timeline)
      .filter(({ kind }) => kind === 'finding')
      .map(({ rule }) => rule),
  )
}

function listEnds(timeline: string): string[] {
  return parseLines(timeline)
    .filter(({ kind }) => kind === 'step' || kind === 'outcome' || kind === 'verdict')
    .map(({ actor, kind, text }) => `${actor} ${kind} ${text}`)
}
