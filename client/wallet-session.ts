import type { Profile, Wallet } from '../contract/profile.ts'
import type { Ask } from './ask.ts'
import { at, textAt } from './at.ts'
import type { Conduct } from './conduct.ts'
import type { CookieJar } from './cookie-jar.ts'
import type { Credential } from './credential.ts'
import { ExchangeError, NoAnswer } from './exchange-error.ts'
import type { Answer, Request } from './send.ts'
import { signMessage } from './sign-message.ts'
import { pause, type Timers } from './timers.ts'

const SIGN_INS_MAX = 5
/** How long another tab may take over its refresh before this one signs in again. */
const WINNER_MS_MAX = 5000

/** A wallet's session: cookies in a jar that tabs may share, a refresh where they have run out, else another sign-in. */
export function walletSession(options: {
  profile: Profile
  wallet: Wallet
  jar: CookieJar
  ask: Ask
  timers: Timers
  random: () => number
  conduct: Conduct
}): Credential {
  const { profile, wallet, jar, ask, timers, random, conduct } = options
  const { choices } = profile
  const basePath = new URL(profile.baseUrl).pathname.replace(/\/$/, '')
  let replacing: Promise<void> | undefined

  const headersFor = ({ method, path }: Pick<Request, 'method' | 'path'>) => {
    const cookie = jar.cookiesFor(basePath + path)
    return {
      ...(cookie !== '' && { cookie }),
      ...(method !== 'GET' && conduct.changeHeaders(jar.csrfToken())),
    }
  }
  const post = (path: string, body?: object): Request => ({
    method: 'POST',
    path,
    headers: headersFor({ method: 'POST', path }),
    ...(body && { body }),
  })
  const take = ({ headers, body }: Answer) => {
    const csrfToken = at(body, choices.verify.csrfToken)
    jar.take(headers, typeof csrfToken === 'string' ? csrfToken : undefined)
  }

  /** Where verify is not answered, its challenge may be used up, so all begins anew. */
  const signIn = async () => {
    const { address } = wallet
    for (let attempt = 0; ; attempt++) {
      const challenge = await ask(() => post('/auth/challenge', { address }), { urgent: true })
      if (!isSuccess(challenge)) throw new ExchangeError(challenge)
      const message = conduct.messageToSign(textAt(challenge.body, 'data.message'))
      const signature = signMessage(message, wallet, choices.signature)
      const verify = ask(() => post('/auth/verify', { address, signature }), { attemptsMax: 1, urgent: true })
      const result = await verify.catch((error: NoAnswer) => error)
      const answer = result instanceof NoAnswer ? undefined : result
      if (answer && isSuccess(answer)) return take(answer)
      const delayMs = conduct.retryDelayMs({ answer, attempt, random })
      if (delayMs === undefined || attempt + 1 === SIGN_INS_MAX) {
        throw answer ? new ExchangeError(answer) : result
      }
      await pause(timers, delayMs)
    }
  }

  /** A 409 says that another tab is at it, whose cookies will be this tab's too. */
  const refresh = async () => {
    const before = jar.version()
    const answer = await ask(() => post('/auth/refresh'), { urgent: true })
    if (isSuccess(answer)) return take(answer)
    if (answer.status !== 409) return signIn()
    const untilWon = async () => {
      if (jar.version() === before) await Promise.race([jar.taken(), pause(timers, WINNER_MS_MAX)])
      return jar.version() !== before
    }
    await conduct.afterLostRefresh({ untilWon, signIn })
  }

  return {
    headersFor,
    version: jar.version,
    /** One at a time: whoever else was refused meanwhile waits for the same. */
    replace(refusedVersion) {
      if (jar.version() !== refusedVersion) return Promise.resolve()
      replacing ??= (jar.isEmpty() ? signIn() : refresh()).finally(() => {
        replacing = undefined
      })
      return replacing
    },
  }
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}
