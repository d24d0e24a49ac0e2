import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeImage } from '../../image/make-image.ts'

export type FoundCluster = { missing: null; context: string } | { missing: string; remedy: string }

const OPERATOR =
  "Install Grafana's k6-operator 1.3 (https://github.com/grafana/k6-operator), and wait until its pod is ready."

const AVAILABLE = [
  '--selector=app.kubernetes.io/name=k6-operator',
  '--output=jsonpath={.items[?(@.status.availableReplicas>0)].metadata.name}',
]

/** Checks that kubectl reaches a cluster with a working k6-operator. Never throws. */
export function findTestCluster(env: NodeJS.ProcessEnv): FoundCluster {
  const query = (...args: string[]) => {
    const command = env.BREAKWATER_KUBECTL || 'kubectl'
    const { error, status, stdout, stderr } = spawnSync(command, [...args, '--request-timeout=10s'], {
      env,
      encoding: 'utf8',
    })
    const detail =
      error?.message ??
      (stderr
        .trim()
        .split('\n')
        .at(-1)
        ?.replace(/^error: /, '') ||
        'none found')
    return { output: status === 0 ? stdout.trim() : undefined, detail }
  }
  // Without a kubeconfig, kubectl would try port 8080 of this machine, which is not the user's cluster.
  const context = query('config', 'current-context')
  if (context.output === undefined) {
    return {
      missing: `a Kubernetes cluster (${context.detail})`,
      remedy:
        'Install kubectl, and set KUBECONFIG to a test cluster: each test creates its own namespace and deletes it.',
    }
  }
  const version = query('version', '--output=json')
  if (version.output === undefined) {
    return {
      missing: `the cluster of context ${context.output} (${version.detail})`,
      remedy: 'Start it, or set KUBECONFIG to another.',
    }
  }
  const kind = query('get', 'customresourcedefinition', 'testruns.k6.io', '--output=name')
  if (kind.output === undefined) return { missing: `the kind TestRun (${kind.detail})`, remedy: OPERATOR }
  const operators = query('get', 'deployment', '--all-namespaces', ...AVAILABLE)
  if (!operators.output) {
    return { missing: `a ready k6-operator (${operators.detail})`, remedy: OPERATOR }
  }
  return { missing: null, context: context.output }
}

/** A new namespace of a real cluster. Its pods must meet the `restricted` level. */
export type TestNamespace = {
  name: string
  /** Options for every load: `--namespace`, `--image`, and `--starter-image` if the operator's own cannot be pulled. */
  options: readonly string[]
  /** Runs kubectl in the namespace and returns its trimmed output. Throws with its error output. */
  kubectl(args: readonly string[], input?: string): string
  close(): void
}

export function openTestNamespace({
  image,
  starter,
}: {
  image: string
  starter: string | undefined
}): TestNamespace {
  const name = `breakwater-test-${randomBytes(4).toString('hex')}`
  const kubectl = (args: readonly string[], input?: string) =>
    runKubectl(['--namespace', name, ...args], input)
  const close = () => {
    kubectl(['delete', 'namespace', name, '--wait=false', '--ignore-not-found'])
  }
  try {
    kubectl(['create', 'namespace', name])
    kubectl(['label', 'namespace', name, 'pod-security.kubernetes.io/enforce=restricted'])
    // Until it exists, the cluster accepts no pods.
    kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=60s'])
  } catch (error) {
    close()
    throw error
  }
  const options = ['--namespace', name, '--image', image, ...(starter ? ['--starter-image', starter] : [])]
  return { name, options, kubectl, close }
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

/** An image imported into the node of a local cluster; `remove` removes its name. */
type NodeImage = { name: string; remove(): void }

/** Builds this checkout's image and imports it into the local node, if KUBE_HOME names one. Throws if either fails. */
export async function nodeImage(env: NodeJS.ProcessEnv): Promise<NodeImage | undefined> {
  const home = env.KUBE_HOME
  if (home === undefined || !existsSync(join(home, 'run/node'))) return undefined
  const [node = ''] = readFileSync(join(home, 'run/node'), 'utf8').split(' ')
  const images = (...args: string[]) => {
    const ctr = [join(home, 'debian/usr/bin/ctr'), '--namespace=k8s.io', 'images', ...args]
    const { error, status, stderr } = spawnSync('nsenter', ['--mount', `--target=${node}`, ...ctr], {
      encoding: 'utf8',
    })
    if (status !== 0)
      throw new Error(`the node on this machine does not import the image: ${error?.message ?? stderr}`)
  }
  // Unique to this run: tests of other checkouts may use the same node.
  const name = `localhost/breakwater:test-${process.pid}`
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-image-'))
  try {
    const file = join(folder, 'image.tar')
    await makeImage({ file, name, env, onProgress: console.error })
    images('import', file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { name, remove: () => images('remove', name) }
}
