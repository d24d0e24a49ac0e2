import { onlooker } from '../requests/onlooker.ts'
import { addressOf } from '../requests/request.ts'
import { learnCredentials } from './learn-credentials.ts'
import { createSecretWatch } from './secret-watch.ts'

/** The watch of this VU. It sees what comes once it is begun. */
export const watch = createSecretWatch()

/** From here on it looks into every reply. */
export function beginWatch(): void {
  onlooker.look = (target, spec, reply) => {
    const { headers, text, json, cookies } = reply
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
