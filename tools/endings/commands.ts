/** The commands that are ended from outside, each as short as it still does all that it does. */
import type { StubAround } from './stub-around.ts'

export type EndedCommand = {
  name: string
  argv: readonly string[]
  /** Serves until it is interrupted: its moments are drawn from this time. */
  serverMs?: number
  /** What it needs in its working directory. */
  needs: readonly ('scenario' | 'run' | 'profile')[]
}

/** Each run goes into `run`, in a working directory of its own. */
const OUT = ['--out', 'run']
const SERVER_MS = 3000

const SMOKE = { name: 'smoke', argv: ['smoke', '--no-load', ...OUT], needs: [] }
const LOAD = { name: 'load', argv: ['load', '--rate', '20', '--duration', '3', ...OUT], needs: [] }
const CAPACITY = {
  name: 'capacity',
  argv: [
    ...['capacity', '--from', '20', '--to', '40', '--trial-seconds', '2', '--max-duration', '15'],
    ...OUT,
  ],
  needs: [],
}

/** Commands that are interrupted. Servers and their clients need a stub that runs already. */
export function interruptedCommands({ control }: StubAround): readonly EndedCommand[] {
  const anyPorts = ['--port', '0', '--feed-port', '0', '--control-port', '0']
  return [
    SMOKE,
    LOAD,
    CAPACITY,
    { name: 'repro run', argv: ['repro', 'run', 'refresh-answer-lost', ...OUT], needs: [] },
    { name: 'run', argv: ['run', 'scenario.k6.ts', ...OUT], needs: ['scenario'] },
    { name: 'stub', argv: ['stub', ...anyPorts], serverMs: SERVER_MS, needs: [] },
    { name: 'observe', argv: ['observe', '--control', control], serverMs: SERVER_MS, needs: [] },
    { name: 'faults list', argv: ['faults', 'list', '--control', control], needs: [] },
    {
      name: 'compare --run',
      argv: [
        ...['compare', '--run', 'stub', 'stub', '--repeat', '2', '--rate', '20', '--duration', '2'],
        ...['--warm-up', '1', ...OUT],
      ],
      needs: [],
    },
    { name: 'report', argv: ['report', 'run'], needs: ['run'] },
    { name: 'doctor', argv: ['doctor', '--target', 'stub.json'], needs: ['profile'] },
  ]
}

/** Commands that are killed outright: those that make a load. */
export const KILLED_COMMANDS: readonly EndedCommand[] = [
  { ...SMOKE, argv: ['smoke', ...OUT] },
  CAPACITY,
  LOAD,
]
