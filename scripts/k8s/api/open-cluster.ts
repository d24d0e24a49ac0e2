/**
 * This folder speaks to a cluster through `kubectl proxy`, with the user's own rights: one way to authenticate, which the
 * user has set up already, and no library for it.
 */
import { text } from 'node:stream/consumers'
import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { runCommand } from '../../k6/run-command.ts'
import { isKind, KINDS, type Kind, type KubeObject } from './kube-object.ts'
import { type ApiRequest, type ApiResponse, apiRequest, apiText, openProxy } from './open-proxy.ts'
import { type Right, rightHint } from './rights.ts'

/** One namespace of a cluster. Each call throws a BreakwaterError (environment) where the cluster refuses, or is not reached. */
export type Cluster = {
  namespace: string
  /** Null: there is none of the name. */
  get<O extends KubeObject>(kind: Kind, name: string): Promise<O | null>
  /** By labels (`app=k6,runner=true`), or fields (`involvedObject.kind=Job`). */
  list<O extends KubeObject>(kind: Kind, by?: { labels?: string; fields?: string }): Promise<O[]>
  /** Makes it so, by server-side apply as `breakwater`; answers what is there then. */
  apply<O extends KubeObject>(object: O): Promise<O>
  /** Sets single fields of what is there, by a merge patch. */
  patch(kind: Kind, name: string, change: object): Promise<void>
  /** Deletes it and, in the background, what it owns; false: there was none. A pod may be given other than its own time to end. */
  remove(kind: Kind, name: string, how?: { graceSeconds?: number }): Promise<boolean>
  /** Deletes all of a kind that have the labels. */
  removeAll(kind: Kind, labels: string): Promise<void>
  /** What a container of a pod has written; null: there is no pod, or it has not begun. */
  logs(pod: string, options?: LogOptions): Promise<ApiResponse | null>
  /** Asks a server in a pod; whatever answers, with its status. `path` is after the port, and may have a query. */
  askPod(pod: string, port: number, request: ApiRequest): Promise<ApiResponse>
  /** Whether the user is let do something; true where nobody tells: the deed itself will. */
  may(right: Right): Promise<boolean>
  close(): Promise<void>
}

export type LogOptions = { tailLines?: number; limitBytes?: number; signal?: AbortSignal }

/**
 * Opens a namespace; null: that of kubectl's context. Throws a BreakwaterError (environment) where there is no kubectl, or no cluster
 * to be reached.
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

/** The namespace of an API server that answers on a socket. */
export function clusterAt(options: { socket: string; namespace: string; close(): Promise<void> }): Cluster {
  const { socket, namespace, close } = options
  const pathOf = (kind: Kind, name: string | null, query: Record<string, string | undefined> = {}) => {
    const { root, plural } = KINDS[kind]
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
    const named = name === null ? '' : `/${encodeURIComponent(name)}`
    return `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}${named}${search}`
  }
  const call = async (verb: string, kind: Kind, name: string | null, sent: ApiRequest) => {
    const answer = await apiText(socket, sent).catch((cause) => {
      throw unreached(cause)
    })
    if (answer.status < 300) return JSON.parse(answer.text)
    if (answer.status === 404 && isMissing(answer.text, KINDS[kind].plural, name)) return null
    throw apiFailure({ verb, resource: KINDS[kind].plural, name, namespace }, answer)
  }
  return {
    namespace,
    close,
    get: (kind, name) => call('get', kind, name, { method: 'GET', path: pathOf(kind, name) }),
    async list(kind, { labels, fields } = {}) {
      const query = { labelSelector: labels, fieldSelector: fields }
      const { items } = await call('list', kind, null, { method: 'GET', path: pathOf(kind, null, query) })
      return items
    },
    apply(object) {
      const { kind, metadata } = object
      if (!isKind(kind)) throw new RangeError(`no kind to apply: ${kind}`)
      return call('patch', kind, metadata.name, {
        method: 'PATCH',
        path: pathOf(kind, metadata.name, { fieldManager: 'breakwater', force: 'true' }),
        headers: { 'Content-Type': 'application/apply-patch+yaml' },
        body: JSON.stringify({ ...object, metadata: { ...metadata, namespace } }),
      })
    },
    async patch(kind, name, change) {
      await call('patch', kind, name, {
        method: 'PATCH',
        path: pathOf(kind, name, { fieldManager: 'breakwater' }),
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: JSON.stringify(change),
      })
    },
    async remove(kind, name, { graceSeconds } = {}) {
      const body = { propagationPolicy: 'Background', gracePeriodSeconds: graceSeconds }
      return (await call('delete', kind, name, deletion(pathOf(kind, name), body))) !== null
    },
    async removeAll(kind, labels) {
      const path = pathOf(kind, null, { labelSelector: labels })
      await call('delete', kind, null, deletion(path, { propagationPolicy: 'Background' }))
    },
    async logs(pod, { tailLines, limitBytes, signal } = {}) {
      const query = { tailLines: tailLines?.toString(), limitBytes: limitBytes?.toString() }
      const path = pathOf('Pod', pod, query).replace(/(\?|$)/, '/log$1')
      const answer = await ask({ method: 'GET', path, signal })
      if (answer.status === 200) return answer
      const said = await text(answer.body)
      // Not there, or not begun.
      if (answer.status === 404 || answer.status === 400) return null
      throw apiFailure({ verb: 'get', resource: 'pods/log', name: pod, namespace }, { ...answer, text: said })
    },
    askPod: (pod, port, sent) =>
      ask({ ...sent, path: `${pathOf('Pod', `${pod}:${port}`)}/proxy${sent.path}` }),
    async may(right) {
      const answer = await ask(accessReview(right, namespace))
      const said = await text(answer.body)
      return answer.status >= 300 || JSON.parse(said).status?.allowed !== false
    },
  }

  function ask(sent: ApiRequest): Promise<ApiResponse> {
    return apiRequest(socket, sent).catch((cause) => {
      throw unreached(cause)
    })
  }
}

function deletion(path: string, options: object): ApiRequest {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...options })
  return { method: 'DELETE', path, body, headers: { 'Content-Type': 'application/json' } }
}

/** Who asks may ask of themselves, whatever else they may do. */
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

/** Whether it is the object that is missing, and neither its namespace nor its kind. */
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
    hint: 'Does `kubectl version` reach it? KUBECONFIG and its context say which cluster is meant.',
    exitCode: EXIT.environment,
    cause,
  })
}

/** Which kubectl, and the namespace that it would take by itself. */
type Kubectl = { command: string; namespace: string }

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

/** What was asked for: `{verb: 'patch', resource: 'testruns', name: 'load-7', namespace: 'team'}`. */
type Asked = { verb: string; resource: string; name: string | null; namespace: string }

/** An error that tells what the API server refused, with what to do about it. `text` is the answer's body. */
function apiFailure(asked: Asked, answer: { status: number; text: string }): BreakwaterError {
  const { verb, resource, name, namespace } = asked
  const reason = statusOf(answer.text)
  const hint =
    reason === undefined && answer.status >= 500
      ? 'Does `kubectl version` reach the cluster? KUBECONFIG and its context say which one is meant.'
      : HINTS[answer.status]?.(asked, reason?.message ?? '')
  const what = `${verb} ${resource}${name === null ? '' : `/${name}`} in namespace ${namespace}`
  const said = (reason?.message ?? answer.text).trim().split('\n', 1)[0] || `it answered ${answer.status}`
  return new BreakwaterError(
    reason === undefined && answer.status >= 500
      ? `the cluster cannot be reached: ${said}`
      : `the cluster refused to ${what}: ${said}`,
    { ...(hint !== undefined && { hint }), exitCode: EXIT.environment },
  )
}

/** What a person does about an answer, by its status. */
const HINTS: Readonly<Record<number, (asked: Asked, message: string) => string | undefined>> = {
  401: () => 'Sign in anew: the credentials that kubectl has are not taken. `kubectl auth whoami` tells.',
  403: ({ verb, resource, namespace }, message) =>
    /quota|violates PodSecurity|LimitRange|is forbidden: (maximum|minimum)/.test(message)
      ? 'The rules of the namespace are against it: the message tells which.'
      : rightHint({ verb, resource, namespace }),
  404: ({ resource, namespace }, message) => {
    if (message.startsWith('namespaces ')) return `Make it: \`kubectl create namespace ${namespace}\`.`
    if (resource === 'testruns')
      return "The cluster knows no TestRun: install Grafana's k6-operator (1.x), as docs/kubernetes.md says."
    return undefined
  },
  409: ({ resource, name, namespace }) =>
    `Something else holds it. Another --name, or \`kubectl delete ${resource} ${name ?? ''} -n ${namespace}\` first.`,
}

/** The `Status` that the API server answers with; undefined: somebody else answered. */
function statusOf(text: string): { message: string } | undefined {
  try {
    const { kind, message } = JSON.parse(text)
    return kind === 'Status' && typeof message === 'string' ? { message } : undefined
  } catch {
    // The API server's own words for a path that it does not have.
    return text.trim() === '404 page not found' ? { message: text.trim() } : undefined
  }
}
