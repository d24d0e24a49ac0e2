/**
 * `npm run bench`: measurements, each next to a baseline from the same run. Nothing passes or fails, except with `--gate`, which
 * measures ratios of processor time and fails if one is worse than recorded; `--record` records them.
 */
import { availableParallelism, cpus, totalmem } from 'node:os'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import { findK6 } from '../scripts/k6/find-k6.ts'
import { projectPath } from '../scripts/project.ts'
import { benchAmm } from './bench/amm.bench.ts'
import { benchArrivals } from './bench/arrivals.bench.ts'
import { runGate } from './bench/bench-gate.ts'
import { benchCluster } from './bench/cluster.bench.ts'
import { benchCommandLine } from './bench/command-line.bench.ts'
import { benchCompare } from './bench/compare.bench.ts'
import { benchFaults } from './bench/faults.bench.ts'
import { benchFeed } from './bench/feed.bench.ts'
import { benchHistories } from './bench/histories.bench.ts'
import { benchK6Build } from './bench/k6-build.bench.ts'
import { benchK6Output } from './bench/k6-output.bench.ts'
import { benchLean } from './bench/lean.bench.ts'
import { benchMemory } from './bench/memory.bench.ts'
import { benchMergeRunners } from './bench/merge-runners.bench.ts'
import { benchObserver } from './bench/observer.bench.ts'
import { benchReconnectStorm } from './bench/reconnect-storm.bench.ts'
import { benchReport } from './bench/report.bench.ts'
import { benchRest } from './bench/rest.bench.ts'
import { benchRoute } from './bench/route.bench.ts'
import { benchSmoke } from './bench/smoke.bench.ts'
import { benchStart } from './bench/start.bench.ts'
import { benchTls } from './bench/tls.bench.ts'
import { benchTrend } from './bench/trend.bench.ts'
import { benchWholeWay } from './bench/whole-way.bench.ts'
import { proveCapacity } from './proofs/capacity.ts'
import { proveQueueing } from './proofs/queueing/prove-queueing.ts'
import { exitWith, toolArguments } from './tool-arguments.ts'

const BENCHES: Record<string, () => Promise<void>> = {
  amm: () => benchAmm({ print: console.log }),
  arrivals: withK6((k6) => benchArrivals({ k6, print: console.log })),
  capacity: withK6((k6) => proveCapacity({ k6, report: printProof })),
  cluster: () => benchCluster({ print: console.log }),
  'command-line': async () => benchCommandLine({ print: console.log }),
  compare: async () => benchCompare({ print: console.log }),
  faults: async () => benchFaults({ print: console.log }),
  feed: async () => benchFeed({ print: console.log }),
  histories: withK6((k6) => benchHistories({ k6, print: console.log })),
  'k6-build': () => benchK6Build({ print: console.log }),
  'k6-output': withK6((k6) => benchK6Output({ k6, print: console.log, seconds: 4 })),
  'merge-runners': () => benchMergeRunners({ print: console.log }),
  lean: withK6((k6) => benchLean({ k6, print: console.log })),
  memory: async () => benchMemory({ print: console.log }),
  observer: () => benchObserver({ print: console.log }),
  queueing: withK6((k6) => proveQueueing({ k6, report: printProof })),
  'reconnect-storm': () => benchReconnectStorm({ print: console.log }),
  report: async () => {
    await benchReport({ print: console.log })
  },
  rest: () => benchRest({ print: console.log }),
  route: async () => benchRoute({ print: console.log }),
  smoke: async () => benchSmoke({ print: console.log }),
  start: async () => benchStart({ print: console.log }),
  tls: withK6((k6) => benchTls({ k6, print: console.log })),
  trend: () => benchTrend({ print: console.log }),
  'whole-way': async () => benchWholeWay({ print: console.log }),
}

const { positionals: chosen, values } = toolArguments('bench', {
  options: { gate: { type: 'boolean', default: false }, record: { type: 'boolean', default: false } },
  words: Object.keys(BENCHES),
})
const gigabytes = Math.round(totalmem() / 2 ** 30)
console.log(
  `machine: ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}, ${gigabytes} GiB, Node ${process.version}`,
)
if (values.gate || values.record) {
  if (chosen.length > 0)
    exitWith('bench', new BreakwaterError(`${chosen[0]}: --gate and --record take no names`))
  const gate = runGate({ isRecording: values.record, print: console.log })
  const isPassed = await gate.catch((error: unknown) => exitWith('bench', error))
  process.exit(isPassed ? EXIT.ok : EXIT.failed)
}
for (const [name, bench] of Object.entries(BENCHES)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  console.log(`\n== ${name}`)
  await bench()
}

function withK6(bench: (k6: string) => Promise<unknown>): () => Promise<void> {
  return async () => {
    await bench(await findK6({ env: process.env, k6SourceDir: projectPath('k6'), onProgress: console.error }))
  }
}

function printProof(name: string, problem: string | undefined, found: string): void {
  console.log(`  ${name}: ${found}`)
  if (problem !== undefined) console.log(`    MISSED: ${problem}`)
}
