/** Signs a wallet in, and finds the id of its session in the list. */
import { at } from '../client/exchange.ts'
import { signIn } from '../client/session.ts'
import type { Wallet } from '../contract/profile.ts'
import { type LiveSession, sessionHeaders, startSession } from './jar.ts'
import { isSuccess, isTransient } from './model/credentials.ts'
import type { ExploreTarget, Reply } from './target.ts'

const TRIES = 3
const PAUSE_MS = 200

/** Tries again after transient errors, which leave at most a session that no one has. */
export async function openSession(
  target: ExploreTarget,
  wallet: Wallet,
): Promise<{ reply: Reply; session: LiveSession | null }> {
  for (let tried = 1; ; tried++) {
    const reply = await signInOnce(target, wallet)
    const session = isSuccess(reply) ? startSession(reply, { profile: target.profile, wallet: 0 }) : null
    if (session) {
      session.id = await findSessionId(target, session)
      return { reply, session }
    }
    const mayHelp = isSuccess(reply) || isTransient(reply)
    if (!mayHelp || tried === TRIES) return { reply, session: null }
    await target.pass(PAUSE_MS * tried)
  }
}

/** A challenge that fails counts as the response to verify. */
async function signInOnce(target: ExploreTarget, wallet: Wallet): Promise<Reply> {
  let failed: Reply | undefined
  try {
    return await signIn(wallet.address, {
      async challenge(request) {
        const reply = await target.request(request)
        const message = at(reply.body, 'data.message')
        if (isSuccess(reply) && typeof message === 'string') return message
        failed = reply
        throw new Error('no challenge')
      },
      sign: (message) => target.sign(wallet, message),
      verify: (request) => target.request(request),
    })
  } catch (error) {
    if (failed) return failed
    throw error
  }
}

async function findSessionId(target: ExploreTarget, session: LiveSession): Promise<string | null> {
  const { list, id, current } = target.profile.choices.sessions
  const headers = sessionHeaders(session, target.profile.choices)
  for (let tried = 1; id !== null && current !== null && tried <= TRIES; tried++) {
    const { body } = await target.request({ method: 'GET', path: '/auth/sessions', headers })
    const rows = at(body, list)
    const own = Array.isArray(rows) ? rows.find((row) => at(row, current) === true) : undefined
    const found = at(own, id)
    if (typeof found === 'string') return found
    await target.pass(PAUSE_MS * tried)
  }
  return null
}
