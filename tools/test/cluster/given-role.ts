import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectPath } from '../../../scripts/project.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import type { GivenCluster } from './given-cluster.ts'

const ROLE = 'examples/kubernetes/role.yaml'

/** Who may do in the namespace what the example's Role lets them, and nothing anywhere else. */
export type GivenRole = {
  /** The cluster, seen by them: `kubectl` has their rights. */
  cluster: GivenCluster
  /** With their kubeconfig, for commands of breakwater. */
  env: NodeJS.ProcessEnv
}

/** A ServiceAccount that is bound to the Role of the examples, as its file says; `change` makes the file another. */
export function givenRole(cluster: GivenCluster, change = (yaml: string) => yaml): GivenRole {
  const { kubectl, namespace } = cluster
  const yaml = readFileSync(projectPath(ROLE), 'utf8')
  const [role = '', binding = ''] = yaml.split(/^# (?=---$)/m)
  kubectl(['create', 'serviceaccount', 'breakwater'])
  kubectl(['apply', '--filename', '-'], change(role))
  kubectl(
    ['apply', '--filename', '-'],
    binding.replaceAll(/^# /gm, '').replace('namespace: loads', `namespace: ${namespace}`),
  )
  const token = kubectl(['create', 'token', 'breakwater'])
  const config = JSON.parse(kubectl(['config', 'view', '--raw', '--minify', '--output=json']))
  const [context] = config.contexts
  const file = join(temporaryFolder(), 'kubeconfig')
  const contexts = [{ name: context.name, context: { ...context.context, user: 'breakwater' } }]
  const users = [{ name: 'breakwater', user: { token } }]
  writeFileSync(file, JSON.stringify({ ...config, contexts, users }), { mode: 0o600 })
  const env = { ...process.env, KUBECONFIG: file }
  return {
    env,
    cluster: {
      ...cluster,
      kubectl: (args, input) => kubectlWith(env, ['--namespace', namespace, ...args], input),
    },
  }
}

function kubectlWith(env: NodeJS.ProcessEnv, args: readonly string[], input?: string): string {
  const command = env.BREAKWATER_KUBECTL || 'kubectl'
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', input, env })
  if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${error?.message ?? stderr.trim()}`)
  return stdout.trim()
}
