import type { EventView } from './cluster-view.ts'
import { told } from './pod-facts.ts'
import { quantityOf } from './quantity.ts'
import type { Trouble } from './verdict.ts'

type Refusal = { pattern: RegExp; sentence: string; hint: string; mayHeal?: boolean }

/** The rest of `Error creating: pods "NAME" is forbidden: `, by what makes it. */
const REFUSALS: readonly Refusal[] = [
  {
    pattern: /^exceeded quota: (.*)/,
    sentence: 'the namespace’s quota refuses the pod: ',
    hint: '`kubectl describe resourcequota` tells what is used; --cpu, --memory and --parallelism ask for less.',
    mayHeal: true,
  },
  {
    pattern: /^(failed quota: .*)/,
    sentence: 'the namespace’s quota refuses the pod: ',
    hint: 'A quota of the namespace wants a setting that the pods of a load do not have: use another namespace.',
  },
  {
    pattern: /^violates PodSecurity (.*)/,
    sentence: 'pod security refuses the pod: it violates ',
    hint: 'The pods of a load meet `restricted`: was the TestRun changed, or does something in the cluster change pods?',
  },
  {
    pattern: /^(?:\[?)((?:maximum|minimum) .* usage per .*|.* limit to request ratio .*)/,
    sentence: 'a LimitRange of the namespace refuses the pod: ',
    hint: '--cpu and --memory must be within it: `kubectl describe limitrange` shows its bounds.',
  },
  {
    pattern: /^error looking up service account (.*)/,
    sentence: 'the pod is refused for the service account: ',
    hint: 'The namespace has no such service account (yet): was it made a moment ago?',
    mayHeal: true,
  },
  {
    pattern: /^(admission webhook .*)/,
    sentence: 'the pod is refused: ',
    hint: 'It is a policy of this cluster: ask whoever made it what pods must have here.',
  },
]

const OTHER: Refusal = {
  pattern: /(.*)/s,
  sentence: 'the pod is refused: ',
  hint: '`kubectl describe job` tells more.',
  mayHeal: true,
}

/**
 * Why a Job has no pod, by the newest of its events; null: nothing refuses it. `pods` such pods are needed at the same time, so
 * that a quota may be too small for ever.
 */
export function refusal(events: readonly EventView[], { pods }: { pods: number }): Trouble | null {
  const last = events.filter(({ reason }) => reason === 'FailedCreate').at(-1)
  if (last === undefined) return null
  const said = (last.message ?? '')
    .replace(/^Error creating: /, '')
    .replace(/^pods "[^"]*" is forbidden: /, '')
  const known = REFUSALS.find(({ pattern }) => pattern.test(said)) ?? OTHER
  return {
    sentence: known.sentence + told(known.pattern.exec(said)?.[1] ?? said),
    hint: known.hint,
    whose: 'cluster',
    mayHeal: known.mayHeal === true && !isTooSmall(said, pods),
  }
}

/** Whether a quota has no room for the pods, even if nothing else were in the namespace. */
function isTooSmall(said: string, pods: number): boolean {
  const partAfter = (name: string) =>
    said
      .split(', ')
      .find((part) => part.startsWith(name))
      ?.slice(name.length) ?? ''
  const limits = amountsOf(partAfter('limited: '))
  return [...amountsOf(partAfter('requested: '))].some(
    ([name, amount]) => amount * pods > (limits.get(name) ?? Infinity),
  )
}

/** Of `limits.cpu=1,limits.memory=1Gi`. */
function amountsOf(text: string): Map<string, number> {
  const pairs = text.split(',').map((pair) => pair.split('='))
  return new Map(pairs.map(([name = '', amount = '']) => [name, quantityOf(amount)]))
}
