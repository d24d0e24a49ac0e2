import type { Choices } from '../../../contract/profile.ts'
import { pickText } from '../pick.ts'
import type { Redactor } from './redact.ts'

/** Where credentials are handed out. Elsewhere a `nonce` is public: a swap has one. */
export function handsOut(path: string): boolean {
  // Every request of a load comes by here, and few go on to the expression.
  return path[1] === 'a' && /^\/(auth|api-tokens)(\/|$)/.test(path)
}

/**
 * Tells the redactor of every credential that a reply hands out, before anything of it can be shown: its cookies, what
 * stands under the name of a secret, and what stands where the profile says that the CSRF token and the ticket lie.
 */
export function learnSecrets(
  redactor: Pick<Redactor, 'add' | 'learn'>,
  reply: { path: string; json: unknown; cookies: readonly { value: string }[] },
  choices: Pick<Choices, 'verify' | 'wsTicket'>,
): void {
  for (const { value } of reply.cookies) redactor.add(value)
  if (!handsOut(reply.path)) return
  redactor.learn(reply.json)
  redactor.add(pickText(reply.json, choices.verify.csrfToken))
  redactor.add(pickText(reply.json, choices.wsTicket.ticket))
}
