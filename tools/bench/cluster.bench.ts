import { findTestCluster, nodeImage } from '../test/cluster/find-test-cluster.ts'
import { type ClusterBench, type MeasuredLoad, openClusterBench } from './cluster-load.ts'
import { spread } from './measuring.ts'

const ROUNDS = 3
const SECONDS = 10

/** In a cluster, if any: the duration of a 10 s load including its report, and the resources of a runner. */
export async function benchCluster({ print }: { print: (line: string) => void }): Promise<void> {
  const { env } = process
  const found = findTestCluster(env)
  if (found.missing !== null) return print(`loads from a cluster: not measured: they need ${found.missing}`)
  const made = env.BREAKWATER_IMAGE ? undefined : await nodeImage(env)
  const image = env.BREAKWATER_IMAGE || made?.name
  if (image === undefined)
    return print('loads from a cluster: not measured: they need an image, named by BREAKWATER_IMAGE')
  const starter = env.BREAKWATER_STARTER_IMAGE || (env.KUBE_HOME && 'localhost/k6-starter:1')
  const bench = openClusterBench({ image, starter: starter || undefined })
  try {
    await benchTime(bench, print)
    for (const { mix, rates } of SIZES) await benchSize(bench, { mix, rates, print })
  } finally {
    bench.close()
    made?.remove()
  }
}

async function benchTime(bench: ClusterBench, print: (line: string) => void): Promise<void> {
  const seconds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const { wallMs } = await bench.load(
      `--rate 50 --duration 8s --warm-up 2s --parallelism 2 --cpu 0.2`.split(' '),
    )
    seconds.push(wallMs / 1000)
  }
  print(
    `a load of ${SECONDS} s by two runners, from the command to its report, medians of ${ROUNDS} rounds (minimum to maximum):`,
  )
  print(
    `  ${spread(seconds)} s (target 45), ${spread(seconds.map((each) => each / SECONDS))} times the load itself`,
  )
}

/** Two loads each, to subtract a runner's own overhead. */
const SIZES = [
  { mix: 'reads', rates: [50, 150] },
  { mix: 'bots', rates: [0.03, 0.1] },
] as const

async function benchSize(
  bench: ClusterBench,
  { mix, rates, print }: { mix: string; rates: readonly [number, number]; print: (line: string) => void },
): Promise<void> {
  const load = (rate: number) =>
    bench.load(`--mix ${mix} --rate ${rate} --duration 20s --warm-up 8s --parallelism 1 --cpu 0.6`.split(' '))
  const [few, many] = [await load(rates[0]), await load(rates[1])]
  print(`one runner of 0.6 cores, mix ${mix}, ${rates.join(' and then ')} iterations/s:`)
  for (const each of [few, many]) print(`  ${sizeText(each)}`)
}

function sizeText({ facts, requests, vus }: MeasuredLoad): string {
  const { generator, judgedFrom, judgedTo } = facts
  const perSecond = requests / ((judgedTo ?? 0) - (judgedFrom ?? 0))
  const { cpuCores, residentMbMax, openFilesMax, portsUsedMax, throttledShare } = generator
  return [
    `${perSecond.toFixed(1)} requests/s`,
    `${vus} of ${facts.vusMax} VUs active`,
    `${cpuCores?.toFixed(3)} cores`,
    `${residentMbMax?.toFixed(0)} MB`,
    `${openFilesMax} open files`,
    `${portsUsedMax} ports`,
    `throttled in ${((throttledShare ?? 0) * 100).toFixed(0)} % of periods`,
  ].join(', ')
}
