import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { rightHint } from './right-hint.ts'

/** What was asked for: `{verb: 'patch', resource: 'testruns', name: 'load-7', namespace: 'team'}`. */
export type Asked = { verb: string; resource: string; name: string | null; namespace: string }

/** An error that tells what the API server refused, with what to do about it. `text` is the answer's body. */
export function apiFailure(asked: Asked, answer: { status: number; text: string }): BreakwaterError {
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
