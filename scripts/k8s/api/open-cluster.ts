/**
 * Talks to a cluster through `kubectl proxy` with the user's own rights: authentication is already set up, and no
 * library is needed.
 */
import { text } from 'node:stream/consumers'
import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { runCommand } from '../../k6/run-command.ts'
import { isKind, KINDS, type Kind, type KubeObject } from './kube-object.ts'
import { type ApiRequest, type ApiResponse, apiRequest, apiText, openProxy } from './open-proxy.ts'
import { type Right, rightHint } from './rights.ts'

/**
 * One namespace of a cluster. Each call throws a BreakwaterError (environment) if the cluster rejects it or is
 * unreachable.
 */
export type Cluster = {
  namespace: string
  get<O extends KubeObject>(kind: Kind, name: string): Promise<O | null>
  /** Filters by labels (`app=k6,runner=true`) or fields (`involvedObject.kind=Job`). */
  list<O extends KubeObject>(kind: Kind, by?: { labels?: string; fields?: string }): Promise<O[]>
  /** Server-side apply as `breakwater`; returns the resulting object. */
  apply<O extends KubeObject>(object: O): Promise<O>
  patch(kind: Kind, name: string, change: object): Promise<void>
  /**
   * Deletes the object and, in the background, what it owns; false: it did not exist. `graceSeconds` overrides a pod's
   * own.
   */
  remove(kind: Kind, name: string, how?: { graceSeconds?: number }): Promise<boolean>
  removeAll(kind: Kind, labels: string): Promise<void>
  /** The log of a pod's container; null: no such pod, or not started. */
  logs(pod: string, options?: LogOptions): Promise<ApiResponse | null>
  /** Sends a request to a server in a pod and returns any response. `path` follows the port and may include a query. */
  requestPod(pod: string, port: number, request: ApiRequest): Promise<ApiResponse>
  /** Checks a permission; true if the check is unavailable, since the action itself will show. */
  may(right: Right): Promise<boolean>
  close(): Promise<void>
}

export type LogOptions = { tailLines?: number; limitBytes?: number; signal?: AbortSignal }

/**
 * Opens a namespace; null: that of kubectl's context. Throws a BreakwaterError (environment) if kubectl is missing or
 * no cluster is reachable.
 */
export async function openCluster(options: {
  env: NodeJS.ProcessEnv
  namespace: string | null
  signal?: AbortSignal
}): Promise<Cluster> {
  const { env, signal } = options
  const kubectl = await findKubectl(env, signal)
  const proxy = await openProxy({ command: kubectl.command, env, ...(signal && { signal }) })
  const { socket, close } = proxy
  return clusterAt({ socket, namespace: options.namespace ?? kubectl.namespace, close })
}

export function clusterAt(options: { socket: string; namespace: string; close(): Promise<void> }): Cluster {
  const { socket, namespace, close } = options
  const buildPath = (kind: Kind, name: string | null, query: Record<string, string | undefined> = {}) => {
    const { root, plural } = KINDS[kind]
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
    const named = name === null ? '' : `/${encodeURIComponent(name)}`
    return `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}${named}${search}`
  }
  const call = async (verb: string, kind: Kind, name: string | null, sent: ApiRequest) => {
    const response = await apiText(socket, sent).catch((cause) => {
      throw unreached(cause)
    })
    if (response.status < 300) return JSON.parse(response.text)
    if (response.status === 404 && isMissing(response.text, KINDS[kind].plural, name)) return null
    throw apiFailure({ verb, resource: KINDS[kind].plural, name, namespace }, response)
  }
  return {
    namespace,
    close,
    get: (kind, name) => call('get', kind, name, { method: 'GET', path: buildPath(kind, name) }),
    async list(kind, { labels, fields } = {}) {
      const query = { labelSelector: labels, fieldSelector: fields }
      const { items } = await call('list', kind, null, { method: 'GET', path: buildPath(kind, null, query) })
      return items
    },
    apply(object) {
      const { kind, metadata } = object
      if (!isKind(kind)) throw new RangeError(`no kind to apply: ${kind}`)
      return call('patch', kind, metadata.name, {
        method: 'PATCH',
        path: buildPath(kind, metadata.name, { fieldManager: 'breakwater', force: 'true' }),
        headers: { 'Content-Type': 'application/apply-patch+yaml' },
        body: JSON.stringify({ ...object, metadata: { ...metadata, namespace } }),
      })
    },
    async patch(kind, name, change) {
      await call('patch', kind, name, {
        method: 'PATCH',
        path: buildPath(kind, name, { fieldManager: 'breakwater' }),
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: JSON.stringify(change),
      })
    },
    async remove(kind, name, { graceSeconds } = {}) {
      const body = { propagationPolicy: 'Background', gracePeriodSeconds: graceSeconds }
      return (await call('delete', kind, name, deletion(buildPath(kind, name), body))) !== null
    },
    async removeAll(kind, labels) {
      const path = buildPath(kind, null, { labelSelector: labels })
      await call('delete', kind, null, deletion(path, { propagationPolicy: 'Background' }))
    },
    async logs(pod, { tailLines, limitBytes, signal } = {}) {
      const query = { tailLines: tailLines?.toString(), limitBytes: limitBytes?.toString() }
      const path = buildPath('Pod', pod, query).replace(/(\?|$)/, '/log$1')
      const response = await send({ method: 'GET', path, signal })
      if (response.status === 200) return response
      const said = await text(response.body)
      if (response.status === 404 || response.status === 400) return null
      throw apiFailure(
        { verb: 'get', resource: 'pods/log', name: pod, namespace },
        { ...response, text: said },
      )
    },
    requestPod: (pod, port, sent) =>
      send({ ...sent, path: `${buildPath('Pod', `${pod}:${port}`)}/proxy${sent.path}` }),
    async may(right) {
      const response = await send(accessReview(right, namespace))
      const said = await text(response.body)
      return response.status >= 300 || JSON.parse(said).status?.allowed !== false
    },
  }

  function send(sent: ApiRequest): Promise<ApiResponse> {
    return apiRequest(socket, sent).catch((cause) => {
      throw unreached(cause)
    })
  }
}

function deletion(path: string, options: object): ApiRequest {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...options })
  return { method: 'DELETE', path, body, headers: { 'Content-Type': 'application/json' } }
}

/** Every user may review their own permissions. */
function accessReview({ verb, group, resource: whole }: Right, namespace: string): ApiRequest {
  const [resource, subresource] = whole.split('/')
  const spec = { resourceAttributes: { namespace, verb, group, resource, subresource } }
  const apiVersion = 'authorization.k8s.io/v1'
  return {
    method: 'POST',
    path: `/apis/${apiVersion}/selfsubjectaccessreviews`,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ apiVersion, kind: 'SelfSubjectAccessReview', spec }),
  }
}

/** Distinguishes a missing object from a missing namespace or kind. */
function isMissing(text: string, plural: string, name: string | null): boolean {
  if (name === null) return false
  try {
    const { reason, details } = JSON.parse(text)
    return reason === 'NotFound' && details?.name === name && details?.kind === plural
  } catch {
    return false
  }
}

function unreached(cause: unknown): BreakwaterError {
  const said = cause instanceof Error ? cause.message : String(cause)
  return new BreakwaterError(`the cluster cannot be reached: ${said}`, {
    hint: 'Check that `kubectl version` reaches it. KUBECONFIG and its context select the cluster.',
    exitCode: EXIT.environment,
    cause,
  })
}

type Kubectl = { command: string; namespace: string }

/**
 * Finds kubectl (BREAKWATER_KUBECTL, else on PATH) and the namespace of its context. Throws a BreakwaterError
 * (environment) if there is no kubectl, or it has no cluster.
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
      hint: 'Install kubectl (https://kubernetes.io/docs/tasks/tools/), or set BREAKWATER_KUBECTL to its path.',
      exitCode: EXIT.environment,
    })
  }
  // In a pod, kubectl uses the service account's cluster without any file.
  if (exitCode !== 0 && !env.KUBERNETES_SERVICE_HOST) {
    const place = env.KUBECONFIG ? `KUBECONFIG=${env.KUBECONFIG}` : 'KUBECONFIG is not set'
    throw new BreakwaterError(
      `kubectl has no cluster (${place}): ${lines.at(-1) ?? `it exited with ${exitCode}`}`,
      {
        hint: 'Set KUBECONFIG to the file of your cluster, or choose a context: `kubectl config use-context NAME`.',
        exitCode: EXIT.environment,
      },
    )
  }
  const [namespace = ''] = exitCode === 0 ? lines : []
  return { command, namespace: namespace === '' ? 'default' : namespace }
}

/** For example `{verb: 'patch', resource: 'testruns', name: 'load-7', namespace: 'team'}`. */
type Attempt = { verb: string; resource: string; name: string | null; namespace: string }

function apiFailure(attempt: Attempt, response: { status: number; text: string }): BreakwaterError {
  const { verb, resource, name, namespace } = attempt
  const reason = parseStatus(response.text)
  const hint =
    reason === undefined && response.status >= 500
      ? 'Check that `kubectl version` reaches the cluster. KUBECONFIG and its context select it.'
      : HINTS[response.status]?.(attempt, reason?.message ?? '')
  const what = `${verb} ${resource}${name === null ? '' : `/${name}`} in namespace ${namespace}`
  const said = (reason?.message ?? response.text).trim().split('\n', 1)[0] || `status ${response.status}`
  return new BreakwaterError(
    reason === undefined && response.status >= 500
      ? `the cluster cannot be reached: ${said}`
      : `the cluster refused to ${what}: ${said}`,
    { ...(hint !== undefined && { hint }), exitCode: EXIT.environment },
  )
}

const HINTS: Readonly<Record<number, (attempt: Attempt, message: string) => string | undefined>> = {
  401: () =>
    'Sign in again: the cluster rejected the credentials of kubectl. Check them with `kubectl auth whoami`.',
  403: ({ verb, resource, namespace }, message) =>
    /quota|violates PodSecurity|LimitRange|is forbidden: (maximum|minimum)/.test(message)
      ? 'A rule of the namespace forbids it: see the message.'
      : rightHint({ verb, resource, namespace }),
  404: ({ resource, namespace }, message) => {
    if (message.startsWith('namespaces ')) return `Make it: \`kubectl create namespace ${namespace}\`.`
    if (resource === 'testruns')
      return "The cluster has no TestRun resource: install Grafana's k6-operator (1.x), see docs/guides/kubernetes.md."
    return undefined
  },
  409: ({ resource, name, namespace }) =>
    `Another object has the name. Choose another --name, or first run \`kubectl delete ${resource} ${name ?? ''} -n ${namespace}\`.`,
}

function parseStatus(text: string): { message: string } | undefined {
  try {
    const { kind, message } = JSON.parse(text)
    return kind === 'Status' && typeof message === 'string' ? { message } : undefined
  } catch {
    // The API server's text for an unknown path.
    return text.trim() === '404 page not found' ? { message: text.trim() } : undefined
  }
}

/**
 * Checks all permissions of a command before it starts: a load is wasted if its results cannot be collected. Throws a BreakwaterError
 * (environment) that names the missing permissions.
 */
export async function requireRights(
  cluster: Pick<Cluster, 'may' | 'namespace'>,
  rights: readonly Right[],
): Promise<void> {
  const checked = await Promise.all(rights.map(async (right) => ({ right, may: await cluster.may(right) })))
  const missing = checked.filter(({ may }) => !may).map(({ right }) => right)
  const [first] = missing
  if (first === undefined) return
  throw new BreakwaterError(
    `namespace ${cluster.namespace}: the cluster does not let you ${missing.map(({ verb, resource }) => `${verb} ${resource}`).join(', ')}`,
    { hint: rightHint({ ...first, namespace: cluster.namespace }), exitCode: EXIT.environment },
  )
}
