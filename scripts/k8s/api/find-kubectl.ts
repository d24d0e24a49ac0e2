import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { runCommand } from '../../k6/run-command.ts'

/** Which kubectl, and the namespace that it would take by itself. */
export type Kubectl = { command: string; namespace: string }

/**
 * Finds kubectl (BREAKWATER_KUBECTL, else the one on PATH) and the namespace of its context. Throws a BreakwaterError
 * (environment) where there is none, or where it knows no cluster.
 */
export async function findKubectl(env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<Kubectl> {
  const command = env.BREAKWATER_KUBECTL || 'kubectl'
  const { exitCode, lines } = await runCommand(
    command,
    ['config', 'view', '--minify', '--output', 'jsonpath={..contexts[0].context.namespace}'],
    { env, signal },
  )
  if (exitCode === 127) {
    throw new BreakwaterError(`kubectl could not be started: ${command}`, {
      hint: 'Install kubectl (https://kubernetes.io/docs/tasks/tools/), or name it by BREAKWATER_KUBECTL.',
      exitCode: EXIT.environment,
    })
  }
  // In a pod, kubectl takes the service account's cluster without any file.
  if (exitCode !== 0 && !env.KUBERNETES_SERVICE_HOST) {
    const place = env.KUBECONFIG ? `KUBECONFIG=${env.KUBECONFIG}` : 'KUBECONFIG is not set'
    throw new BreakwaterError(
      `kubectl knows no cluster (${place}): ${lines.at(-1) ?? `it ended with ${exitCode}`}`,
      {
        hint: 'Let KUBECONFIG name the file of your cluster, or choose a context: `kubectl config use-context NAME`.',
        exitCode: EXIT.environment,
      },
    )
  }
  const [namespace = ''] = exitCode === 0 ? lines : []
  return { command, namespace: namespace === '' ? 'default' : namespace }
}
