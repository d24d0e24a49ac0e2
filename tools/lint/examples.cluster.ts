import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { EXIT } from '../../contract/breakwater-error.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { projectPath } from '../../scripts/project.ts'
import {
  type GivenCluster,
  givenCluster,
  givenClusterStub,
  givenRole,
} from '../test/cluster/given-cluster.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'

const LOAD = '--mix reads --rate 20 --duration 4s --warm-up 1s --parallelism 1 --cpu 0.05 --name load'.split(
  ' ',
)
/** A shared cluster may be full for a while. */
const WAITING = ['--start-timeout', '200s']
const STUB_KINDS = 'deployment,service,networkpolicy,secret,configmap'
const OF_STUB = '--selector=app.kubernetes.io/name=breakwater-stub'

test('the Role suffices to create a stub, load it, collect the results, and delete both', async () => {
  const whole = await givenCluster()
  const { cluster, env } = givenRole(whole)
  const stub = await givenClusterStub(cluster, ['--cpu', '0.2'])
  const requested = { cwd: stub.cwd, env: { ...stub.env, KUBECONFIG: env.KUBECONFIG } }

  const run = [
    'k8s',
    'run',
    ...stub.target,
    ...LOAD,
    '--output',
    'run',
    '--no-cleanup',
    ...WAITING,
    ...cluster.options,
  ]
  const ran = await cluster.breakwater(run, requested)
  expect([ran.exitCode, ran.stderr]).toEqual([EXIT.ok, expect.not.stringContaining('breakwater:')])

  const collect = [
    'k8s',
    'collect',
    'load',
    '--delete',
    '--output',
    'collected',
    '--namespace',
    cluster.namespace,
  ]
  const collected = await cluster.breakwater(collect, requested)
  expect([collected.exitCode, collected.stderr]).toEqual([
    EXIT.ok,
    expect.not.stringContaining('breakwater:'),
  ])
  const [first, second] = ['run', 'collected'].map((folder) => requestsIn(join(stub.cwd, folder)))
  expect(first).toBeGreaterThan(0)
  expect(second).toBe(first)

  cluster.kubectl(['delete', STUB_KINDS, OF_STUB])
  const left = whole.kubectl(['get', `${STUB_KINDS},testruns,jobs,pods`, '--output=name']).split('\n')
  expect(left.filter((name) => !/kube-root-ca|pod\/stub-/.test(name))).toEqual([])
})

test('without one of the permissions of the Role, nothing is created, and the permission is named', async () => {
  const whole = await givenCluster()
  const { cluster, env } = givenRole(whole, (yaml) => yaml.replace('[pods/proxy]', '[pods/portforward]'))
  const { cwd, target, env: requested } = await writeProfile(cluster)
  const run = ['k8s', 'run', ...target, ...LOAD, ...cluster.options]
  const { exitCode, stderr } = await cluster.breakwater(run, {
    cwd,
    env: { ...requested, KUBECONFIG: env.KUBECONFIG },
  })
  expect([exitCode, stderr]).toEqual([
    EXIT.environment,
    expect.stringContaining(
      `breakwater: namespace ${cluster.namespace}: the cluster does not let you patch pods/proxy, get pods/proxy\n`,
    ),
  ])
  expect(stderr).toContain('examples/kubernetes/role.yaml')
  expect(whole.kubectl(['get', 'testruns,secrets,pods', '--output=name'])).toBe('')
})

const THEIR_NODES = {
  nodeSelector: { pool: 'loads' },
  tolerations: [{ key: 'pool', operator: 'Equal', value: 'loads', effect: 'NoSchedule' }],
}

test('namespace.yaml accepts a rendered load after the kustomization', async () => {
  const cluster = await givenCluster()
  const { kubectl, namespace, image } = cluster
  const example = (file: string) =>
    readFileSync(projectPath(`examples/kubernetes/${file}`), 'utf8').replaceAll(
      /\b(name|namespace): loads$/gm,
      `$1: ${namespace}`,
    )
  kubectl(['apply', '--server-side', '--force-conflicts', '--filename', '-'], example('namespace.yaml'))
  const { cwd, target, env } = await writeProfile(cluster)
  const render = ['k8s', 'render', ...target, ...LOAD, '--image', image]
  const { exitCode, stdout } = await cluster.breakwater(render, { cwd, env })
  expect(exitCode).toBe(EXIT.ok)
  writeFileSync(join(cwd, 'rendered.yaml'), stdout)
  writeFileSync(join(cwd, 'kustomization.yaml'), example('kustomization.yaml'))
  const changed = kubectl(['kustomize', cwd])
  const dryRun = ['apply', '--server-side', '--dry-run=server', '--output=name', '--filename', '-']
  const taken = kubectl(dryRun, changed).split('\n')

  const expected = objectsIn(stdout).map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace },
    ...(object.kind === 'TestRun' && {
      spec: { ...object.spec, runner: { ...object.spec?.runner, ...THEIR_NODES } },
    }),
  }))
  expect(taken).toHaveLength(expected.length)
  expect(taken).toContain('testrun.k6.io/load')
  expect(objectsIn(changed)).toEqual(expected)
})

/** The profile of a stub that does not exist, and the other options that a command needs. */
async function writeProfile({ breakwater, image, namespace }: GivenCluster) {
  const cwd = temporaryFolder()
  const argv = ['k8s', 'stub', '--image', image, '--namespace', namespace, '--profile', 'profile.json']
  const { stderr } = await breakwater(argv, { cwd })
  const [, name = '', tokens = ''] = /(\w+)=(\S+) breakwater k8s run/.exec(stderr) ?? []
  const target = ['--target', 'profile.json', '--confirm', `stub.${namespace}.svc`]
  return { cwd, target, env: { ...process.env, [name]: tokens } }
}

type Printed = { kind: string; metadata: { name: string }; spec?: { runner?: object } }

function objectsIn(yaml: string): Printed[] {
  const buildKey = ({ kind, metadata }: Printed) => `${kind} ${metadata.name}`
  const objects = parseAllDocuments(yaml).map((document): Printed => document.toJS())
  return objects.toSorted((a, b) => (buildKey(a) < buildKey(b) ? -1 : 1))
}

function requestsIn(folder: string): number {
  const report = reportSchema.parse(JSON.parse(readFileSync(join(folder, RUN_FILES.reportJson), 'utf8')))
  return report.generator.requests
}
