import type { EventView, PodView } from './cluster-view.ts'
import { conditionOf, containerState, told } from './pod-facts.ts'
import type { Trouble } from './verdict.ts'

type Said = { image: string; message: string }
type Told = { sentence: (said: Said) => string; hint: string; mayHeal: (message: string) => boolean }

const PULL_HINT =
  'Is the image’s name right, and may the nodes have it? --image-pull-secret names a Secret with the way into its registry.'
const never = () => false

const CANNOT_BE_PULLED: Told = {
  sentence: ({ image, message }) => `the image ${image} cannot be pulled: ${pullMessage(message)}`,
  hint: PULL_HINT,
  // A registry that answers so goes on answering so.
  mayHeal: (message) => !/not found|unauthorized|forbidden|denied|manifest unknown/i.test(message),
}

const CANNOT_BE_MADE: Told = {
  sentence: ({ message }) => `the container cannot be made: ${message}`,
  hint: '`kubectl describe pod` tells more.',
  mayHeal: (message) => !/not found|runAsNonRoot/.test(message),
}

/** By the reason for which a container waits. */
const REASONS: Readonly<Record<string, Told>> = {
  ErrImageNeverPull: {
    sentence: ({ image }) => `the image ${image} is not on the node, and its pull policy is Never`,
    hint: 'Load the image into the nodes, or have it pulled: --image-pull-policy IfNotPresent.',
    mayHeal: never,
  },
  InvalidImageName: {
    sentence: ({ image }) => `${image} is no name of an image`,
    hint: 'An image is named as REGISTRY/NAME:TAG, in small letters.',
    mayHeal: never,
  },
  ErrImagePull: CANNOT_BE_PULLED,
  ImagePullBackOff: CANNOT_BE_PULLED,
  CreateContainerConfigError: CANNOT_BE_MADE,
  CreateContainerError: CANNOT_BE_MADE,
  RunContainerError: CANNOT_BE_MADE,
  CrashLoopBackOff: {
    sentence: () => 'the container ends again and again',
    hint: '`kubectl logs` tells why.',
    mayHeal: never,
  },
}

/** By what a scheduler's message says. */
const SCHEDULING: readonly { pattern: RegExp; hint: string }[] = [
  {
    pattern: /anti-affinity/,
    hint: '--separate gives each runner a node of its own: fewer runners, more nodes, or without it.',
  },
  {
    pattern: /persistentvolumeclaim/i,
    hint: 'The claim must be in the namespace, and all runners must be able to mount it (ReadWriteMany).',
  },
  {
    pattern: /Insufficient/,
    hint: 'No node has so much left: make room, or ask for less; --cpu and --memory are of each runner.',
  },
]

/** Why a pod that is there does not run; null: nothing is wrong that can be seen. `events` are its own, the newest last. */
export function waitingTrouble(pod: PodView, events: readonly EventView[]): Trouble | null {
  const { waiting, running } = containerState(pod)
  if (running !== undefined) return null
  const known = REASONS[waiting?.reason ?? '']
  if (known !== undefined) {
    const message = told(waiting?.message ?? '')
    const image = told(pod.spec?.containers?.[0]?.image ?? 'of it')
    return {
      sentence: known.sentence({ image, message }),
      hint: known.hint,
      whose: 'cluster',
      mayHeal: known.mayHeal(message),
    }
  }
  return unscheduled(pod) ?? byLastEvent(events)
}

function unscheduled(pod: PodView): Trouble | null {
  const condition = conditionOf(pod, 'PodScheduled', 'False')
  if (condition === undefined) return null
  const message = told((condition.message ?? '').replace(/\.? (?:no new claims|preemption:).*$/s, ''))
  const hint = SCHEDULING.find(({ pattern }) => pattern.test(message))?.hint
  return {
    sentence: `no node takes the pod: ${message}`,
    hint: hint ?? '`kubectl describe pod` and `kubectl describe nodes` tell more.',
    whose: 'cluster',
    mayHeal: true,
  }
}

/** Volumes, networks: the container waits as if nothing were wrong, and only events tell. */
function byLastEvent(events: readonly EventView[]): Trouble | null {
  const last = events.filter(({ reason }) => !ASIDE.has(reason ?? '')).at(-1)
  if (last?.type !== 'Warning') return null
  return {
    sentence: told(last.message ?? last.reason ?? ''),
    hint: '`kubectl describe pod` tells more.',
    whose: 'cluster',
    mayHeal: true,
  }
}

/** Events that say nothing of why a pod does not begin. */
const ASIDE = new Set(['MissingClusterDNS', 'DNSConfigForming'])

/** What a registry said, without who passed it on. */
function pullMessage(message: string): string {
  return message
    .replace(/^Back-off pulling image "[^"]*":? ?/, '')
    .replace(/^ErrImagePull: /, '')
    .replace(/^rpc error: code = \w+ desc = /, '')
    .replace(/^failed to pull and unpack image "[^"]*": /, '')
    .replace(/^failed to resolve reference "[^"]*": /, '')
}
