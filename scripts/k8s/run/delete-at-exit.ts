import { spawn } from 'node:child_process'

/** The kinds of which a run makes some, all with its labels. */
const KINDS = 'testruns.k6.io,pods,services,secrets,configmaps,networkpolicies'

/**
 * Where this process is made to end at once, as by a second Ctrl-C, kubectl is left to delete what the run has made in the cluster.
 * `release` ends that.
 */
export function deleteAtExit(options: { env: NodeJS.ProcessEnv; namespace: string; name: string }): {
  release(): void
} {
  const { env, namespace, name } = options
  const remove = () => {
    const labels = `app.kubernetes.io/managed-by=breakwater,app.kubernetes.io/instance=${name}`
    const args = ['delete', KINDS, `--selector=${labels}`, `--namespace=${namespace}`, '--wait=false']
    spawn(env.BREAKWATER_KUBECTL || 'kubectl', args, { env, detached: true, stdio: 'ignore' })
      .on('error', () => {})
      .unref()
  }
  process.once('exit', remove)
  return { release: () => process.off('exit', remove) }
}
