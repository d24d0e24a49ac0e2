import { expect, test } from 'vitest'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { sampleTrial } from '../../reports/capacity/sample-capacity.ts'
import { SAMPLE_COMPARISON } from '../../reports/compare/sample-comparison.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { NO_TERMINAL } from '../io.ts'
import { localGenerator } from '../load/run-load.ts'
import { openIo } from '../progress/open-io.ts'
import { alternateOrders, type PairDirs, type RunJudge } from './judge-runs.ts'
import { resultText, runSides, timeText } from './run-sides.ts'
import { type PlannedSide, planSide } from './side.ts'

test.each([
  [-3, '0 s'],
  [0.4, '0 s'],
  [119.4, '119 s'],
  [119.5, '2 min'],
  [7169, '119 min'],
  [7170, '2 h'],
  [86_400, '24 h'],
])('%f s: %s', (seconds, text) => {
  expect(timeText(seconds)).toBe(text)
})

test('a run without a whole judged second has no figures', () => {
  const result = sampleTrial({ trial: 1, rate: 5, meanMs: 2 })
  expect(resultText(result)).toMatch(/^5 iterations\/s served/)
  expect(resultText({ ...result, seconds: 0, throughput: 0 })).toBe('less than a whole second was measured')
})

/** Sides whose targets do not respond, so that no run starts k6: records which side was tried, in order. */
async function openSides(options: { cwd: string; onTry?: (tried: readonly string[]) => void }) {
  const { cwd, onTry = () => {} } = options
  const abort = new AbortController()
  const lines: string[] = []
  const io = openIo({
    argv: ['compare'],
    env: {},
    cwd,
    stdout: () => {},
    stderr: (text) => void lines.push(text),
    terminal: NO_TERMINAL,
    interrupted: abort.signal,
  })
  const load = { rate: 5, duration: 2, warmUp: 0, mix: 'reads', arrivals: 'even', maxVus: 100, instances: 1 }
  const stub = await planSide('stub', { ...load, io, world: 'tiny', seed: 7, choices: 'default' })
  const tried: string[] = []
  const side = (name: string): PlannedSide => ({
    ...stub,
    mustRespond: async () => {
      tried.push(name)
      onTry(tried)
      throw new BreakwaterError(`${name} does not respond`)
    },
  })
  const generator = localGenerator({ k6: 'none', version: 'none' })
  const sides = { a: side('a'), b: side('b') }
  return { abort, tried, lines, parts: { sides, out: 'there', command: 'compare', generator, io } }
}

/** Records the folders of completed runs per pair. */
function recordingJudge(mayStopEarly: boolean): RunJudge & { taken: PairDirs[] } {
  const taken: PairDirs[] = []
  return {
    mayStopEarly,
    taken,
    takePair: async (dirs) => {
      taken.push(dirs)
      return false
    },
    compare: async () => SAMPLE_COMPARISON,
  }
}

test('failed runs do not stop the others, and are left out', async () => {
  const { tried, lines, parts } = await openSides({ cwd: temporaryFolder() })
  const judge = recordingJudge(false)
  await runSides({ ...parts, orders: alternateOrders(2), judge })
  expect(tried).toEqual(['a', 'b', 'b', 'a'])
  expect(judge.taken).toEqual([{}, {}])
  const text = lines.join('')
  expect(text).toContain('4 runs of 2 s: about 20 s\n')
  expect(text).toContain('run 4 of 4: A, stub: failed, and left out: a does not respond\n')
})

test('until sure, a pair ends with its first failed run', async () => {
  const { tried, lines, parts } = await openSides({ cwd: temporaryFolder() })
  await runSides({ ...parts, orders: alternateOrders(3), judge: recordingJudge(true) })
  expect(tried).toEqual(['a', 'b', 'a'])
  expect(lines.join('')).toContain('at most 6 runs of 2 s: at most about 30 s\n')
})

test('after Ctrl-C, no further run starts', async () => {
  const opened = await openSides({
    cwd: temporaryFolder(),
    onTry: (tried) => {
      if (tried.length === 3) opened.abort.abort()
    },
  })
  const judge = recordingJudge(false)
  await runSides({ ...opened.parts, orders: alternateOrders(5), judge })
  expect(opened.tried).toEqual(['a', 'b', 'b'])
  expect(judge.taken).toHaveLength(2)
})
