/**
 * This folder speaks to a cluster through `kubectl proxy`, with the user's own rights: one way to authenticate, which the
 * user has set up already, and no library for it.
 */
import { text } from 'node:stream/consumers'
import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { apiFailure } from './api-failure.ts'
import { type ApiRequest, type ApiResponse, apiRequest, apiText } from './api-request.ts'
import { findKubectl } from './find-kubectl.ts'
import { isKind, KINDS, type Kind, type KubeObject } from './kube-object.ts'
import { openProxy } from './open-proxy.ts'
import type { Right } from './rights.ts'

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
