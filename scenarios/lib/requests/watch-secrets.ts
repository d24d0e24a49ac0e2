import type { Target } from '../../../contract/scenario-config.ts'
import { createSecretWatch, learnCredentials, type Misplaced, type SecretWatch } from '../secret-watch.ts'
import { onlooker } from './reply.ts'
import { addressOf } from './request.ts'

/** Which rule says that a credential must not be there. */
export const SECRET_RULES = {
  'auth.secrets.not-in-urls': 'in addresses',
  'auth.secrets.nowhere-else': 'elsewhere',
} as const satisfies Record<string, Misplaced>

/**
 * One for each world of this VU, by its address: the worlds of a stub draw their secrets from one seed, so that a cookie of
 * one may be a ticket of another.
 */
const watches = new Map<string, SecretWatch>()

function watchOf({ profile: { baseUrl } }: Target): SecretWatch {
  const watch = watches.get(baseUrl) ?? createSecretWatch()
  watches.set(baseUrl, watch)
  return watch
}

/** What the watches of this VU saw since they were begun. */
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
  /** For a world that goes back: it draws the same secrets once more, for whatever comes next. */
  forget: (target: Target) => watchOf(target).forget(),
}

function sum(count: (watch: SecretWatch) => number): number {
  return [...watches.values()].reduce((total, one) => total + count(one), 0)
}

/** From here on they look into every reply. */
export function beginWatch(): void {
  onlooker.look = (target, spec, reply) => {
    const { headers, text, json, cookies } = reply
    const watch = watchOf(target)
    for (const token of target.apiTokens) watch.learn(token, 'an API token')
    learnCredentials(watch, { path: spec.path, json, cookies }, target.profile.choices)
    watch.look({
      asked: `${spec.method} ${spec.route ?? spec.path}`,
      url: addressOf(spec),
      headers,
      text,
      json,
    })
  }
}
