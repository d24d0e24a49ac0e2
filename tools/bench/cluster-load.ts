import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TrialFacts, trialFactsSchema } from '../../contract/capacity.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { readPoints } from '../../reports/series/read-series.ts'
import { projectPath } from '../../scripts/project.ts'
import { openTestNamespace } from '../test/cluster/find-test-cluster.ts'

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
