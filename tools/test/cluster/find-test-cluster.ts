import { spawnSync } from 'node:child_process'

/** A cluster that tests may use, or what is missing, and what to do about it. */
export type FoundCluster = { missing: null; context: string } | { missing: string; remedy: string }

const OPERATOR =
  "Install Grafana's k6-operator 1.3 (https://github.com/grafana/k6-operator), and wait until its pod is ready."

const AVAILABLE = [
  '--selector=app.kubernetes.io/name=k6-operator',
  '--output=jsonpath={.items[?(@.status.availableReplicas>0)].metadata.name}',
]

/** Looks whether kubectl reaches a cluster with a k6-operator that works. Never throws. */
export function findTestCluster(env: NodeJS.ProcessEnv): FoundCluster {
  const ask = (...args: string[]) => {
    const command = env.BREAKWATER_KUBECTL || 'kubectl'
    const { error, status, stdout, stderr } = spawnSync(command, [...args, '--request-timeout=10s'], {
      env,
      encoding: 'utf8',
    })
    const said =
      error?.message ??
      (stderr
        .trim()
        .split('\n')
        .at(-1)
        ?.replace(/^error: /, '') ||
        'none is there')
    return { answer: status === 0 ? stdout.trim() : undefined, said }
  }
  // Without a kubeconfig kubectl would try this machine's port 8080: whoever listens there is no cluster of the user's.
  const context = ask('config', 'current-context')
  if (context.answer === undefined) {
    return {
      missing: `a Kubernetes cluster (${context.said})`,
      remedy:
        'Install kubectl, and let KUBECONFIG name a cluster for tests: each test makes a namespace of its own, and deletes it.',
    }
  }
  const version = ask('version', '--output=json')
  if (version.answer === undefined) {
    return {
      missing: `the cluster of context ${context.answer} (${version.said})`,
      remedy: 'Start it, or let KUBECONFIG name another.',
    }
  }
  const kind = ask('get', 'customresourcedefinition', 'testruns.k6.io', '--output=name')
  if (kind.answer === undefined) return { missing: `the kind TestRun (${kind.said})`, remedy: OPERATOR }
  const operators = ask('get', 'deployment', '--all-namespaces', ...AVAILABLE)
  if (!operators.answer) {
    return { missing: `a k6-operator that is ready (${operators.said})`, remedy: OPERATOR }
  }
  return { missing: null, context: context.answer }
}
