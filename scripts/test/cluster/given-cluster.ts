import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { type Cluster, openCluster } from '../../k8s/api/open-cluster.ts'
import { runCommandLine } from '../run-command-line.ts'

/** A namespace of a real cluster, for one test; deleted with it. Pods in it must keep to the `restricted` level. */
export type GivenCluster = {
  namespace: string
  /** This checkout's. */
  image: string
  /** The API, as the product itself speaks to it. */
  api: Cluster
  /** What every load of a test needs: `--namespace`, `--image`, and `--starter-image` where the operator's own cannot be pulled. */
  options: readonly string[]
  /** Runs kubectl in the namespace and answers its output, trimmed; throws with what it said. */
  kubectl(args: readonly string[], input?: string): string
  /** Runs a command of breakwater in this process, in a folder of its own. */
  breakwater: typeof runCommandLine
}

/** Throws where the test was not started by `npm run test:kubernetes`, which looks for a cluster and makes the image. */
export async function givenCluster(): Promise<GivenCluster> {
  const image = process.env.BREAKWATER_IMAGE
  const starter = process.env.BREAKWATER_STARTER_IMAGE
  if (!image) throw new Error('start it by: npm run test:kubernetes -- FILE')
  const namespace = `breakwater-test-${randomBytes(4).toString('hex')}`
  const kubectl = (args: readonly string[], input?: string) =>
    runKubectl(['--namespace', namespace, ...args], input)
  onTestFinished(() => {
    kubectl(['delete', 'namespace', namespace, '--wait=false', '--ignore-not-found'])
  })
  kubectl(['create', 'namespace', namespace])
  kubectl(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted'])
  // Without it the cluster takes no pods yet.
  kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=60s'])
  const api = await openCluster({ env: process.env, namespace })
  onTestFinished(() => api.close())
  const options = [
    '--namespace',
    namespace,
    '--image',
    image,
    ...(starter ? ['--starter-image', starter] : []),
  ]
  return { namespace, image, api, options, kubectl, breakwater: runCommandLine }
}

function runKubectl(args: readonly string[], input?: string): string {
  const command = process.env.BREAKWATER_KUBECTL || 'kubectl'
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    input,
    maxBuffer: 64 << 20,
  })
  if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${error?.message ?? stderr.trim()}`)
  return stdout.trim()
}
