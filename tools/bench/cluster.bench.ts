import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TrialFacts, trialFactsSchema } from '../../contract/capacity.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { readPoints } from '../../reports/series/read-series.ts'
import { projectPath } from '../../scripts/project.ts'
import { findTestCluster, nodeImage, openTestNamespace } from '../test/cluster/find-test-cluster.ts'
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

export type MeasuredLoad = {
  facts: TrialFacts
  /** In the evaluated part. */
  requests: number
  vus: number
  wallMs: number
}

export type ClusterBench = {
  /** Runs `breakwater k8s run` with more options, in a separate process. Throws if it did not measure. */
  load(options: readonly string[]): Promise<MeasuredLoad>
  close(): void
}

export function openClusterBench(images: { image: string; starter: string | undefined }): ClusterBench {
  const { name, options, kubectl, close } = openTestNamespace(images)
  const cwd = mkdtempSync(join(tmpdir(), 'breakwater-bench-'))
  const closeAll = () => {
    close()
    rmSync(cwd, { recursive: true, force: true })
  }
  try {
    const stub = breakwater(cwd, [
      'k8s',
      'stub',
      '--image',
      images.image,
      '--namespace',
      name,
      '--cpu',
      '0.6',
      ...PROFILE,
    ])
    kubectl(['apply', '--server-side', '--filename', '-'], stub.stdout)
    kubectl(['rollout', 'status', 'deployment/stub', '--timeout=180s'])
    // By IP address: a test cluster may have no DNS.
    const address = kubectl(['get', 'service/stub', '--output=jsonpath={.spec.clusterIP}'])
    const file = join(cwd, 'profile.json')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`stub.${name}.svc`, address))
    const [, tokensEnv = '', tokens = ''] = /(\w+)=(\S+) breakwater k8s run/.exec(stub.stderr) ?? []
    const env = { ...process.env, [tokensEnv]: tokens }
    const target = ['--target', 'profile.json', '--confirm', address]
    let number = 0
    return {
      async load(further) {
        number += 1
        const out = `run-${number}`
        const argv = ['k8s', 'run', ...target, ...options, '--output', out, '--json', ...further]
        const startedMs = performance.now()
        const { stdout } = breakwater(cwd, argv, env)
        const wallMs = performance.now() - startedMs
        const facts = trialFactsSchema.parse(
          JSON.parse(readFileSync(join(cwd, out, RUN_FILES.trials), 'utf8')),
        )
        const all = reportSchema
          .parse(JSON.parse(stdout))
          .latency.groups.find(({ routeGroup }) => routeGroup === '*')
        return {
          facts,
          requests: all?.count ?? 0,
          vus: await vusIn(join(cwd, out, RUN_FILES.series)),
          wallMs,
        }
      },
      close: closeAll,
    }
  } catch (error) {
    closeAll()
    throw error
  }
}

async function vusIn(series: string): Promise<number> {
  let most = 0
  await readPoints(series, {
    isNeeded: (metric) => metric === 'vus',
    onPoint: ({ max = 0 }) => {
      most = Math.max(most, max)
    },
  })
  return most
}

const PROFILE = ['--profile', 'profile.json']

function breakwater(cwd: string, argv: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  mkdirSync(cwd, { recursive: true })
  const { stdout, stderr } = spawnSync(process.execPath, [projectPath('scripts/breakwater.mjs'), ...argv], {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  // A missed or inconclusive objective does not matter here.
  if (stdout === '') throw new Error(`breakwater ${argv.join(' ')}: ${stderr}`)
  return { stdout, stderr }
}
