import type { Target } from '../../../contract/scenario-config.ts'
import { createSecretWatch, learnCredentials, type Misplaced, type SecretWatch } from '../secret-watch.ts'
import { replyObserver } from './reply.ts'
import { buildPath } from './request.ts'

export const SECRET_RULES = {
  'auth.secrets.not-in-urls': 'in addresses',
  'auth.secrets.nowhere-else': 'elsewhere',
} as const satisfies Record<string, Misplaced>

/**
 * One watch per target URL: the worlds of a stub draw their secrets from one seed, so a cookie of one may
 * equal a ticket of another.
 */
const watches = new Map<string, SecretWatch>()

function getWatch({ profile: { baseUrl } }: Target): SecretWatch {
  const watch = watches.get(baseUrl) ?? createSecretWatch()
  watches.set(baseUrl, watch)
  return watch
}

/** All watches of this VU. */
export const watch = {
  takeFound(): Record<Misplaced, string[]> {
    const found = [...watches.values()].map((one) => one.takeFound())
    return {
      'in addresses': found.flatMap((each) => each['in addresses']),
      elsewhere: found.flatMap((each) => each.elsewhere),
    }
  },
  answers: () => sum((one) => one.answers()),
  secrets: () => sum((one) => one.secrets()),
  /** Call before a revert: the world then issues the same secrets again for other purposes. */
  forget: (target: Target) => getWatch(target).forget(),
}

function sum(count: (watch: SecretWatch) => number): number {
  return [...watches.values()].reduce((total, one) => total + count(one), 0)
}

export function beginWatch(): void {
  replyObserver.check = (target, spec, reply) => {
    const { headers, text, json, cookies } = reply
    const watch = getWatch(target)
    for (const token of target.apiTokens) watch.learn(token, 'an API token')
    learnCredentials(watch, { path: spec.path, json, cookies }, target.profile.choices)
    watch.check({
      operation: `${spec.method} ${spec.route ?? spec.path}`,
      url: buildPath(spec),
      headers,
      text,
      json,
    })
  }
}
