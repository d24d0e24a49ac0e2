import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** A namespace of a real cluster, of its own for whoever opens it. Pods in it must keep to the `restricted` level. */
export type TestNamespace = {
  name: string
  /** What every load there needs: `--namespace`, `--image`, and `--starter-image` where the operator's own cannot be pulled. */
  options: readonly string[]
  /** Runs kubectl in the namespace and answers its output, trimmed; throws with what it said. */
  kubectl(args: readonly string[], input?: string): string
  /** Has the namespace deleted, with all that is in it. */
  close(): void
}

/** Makes a namespace; throws with what kubectl said. */
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
    // Without it the cluster takes no pods yet.
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
