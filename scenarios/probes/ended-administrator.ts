import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { alteredSecrets } from '../lib/identity/altered-secrets.ts'
import { readCodes } from '../lib/identity/referral-codes.ts'
import { isAlive, logoutSpec, requireFullCredential, withSession } from '../lib/identity/session.ts'
import { type Credential, isSuccess, request } from '../lib/requests/request.ts'
import { check } from '../lib/verdict/check.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

const RULE = 'admin.codes.session-only'

/**
 * An administrator's session that has ended, or whose access cookie is altered, gets no referral codes. A guard that reads the claims
 * of a JWT may neither verify it nor look for its session. Other rules cover credentials that other reads serve too. Passes nothing.
 */
export async function judgeEndedAdministrator(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  const { access } = target.profile.choices.cookies
  const judgeOne = async (how: string, credential: Credential) => {
    const reply = await readCodes(target, credential)
    const isServed = isSuccess(reply) && check('codeInventory', reply.json).length === 0
    if (isServed && !(await isAlive(target, credential)).alive)
      judge.fail(RULE, `the referral codes are served to ${how}`, [reply.evidence()])
  }
  await unlessCannot(() =>
    withSession(target, wallet, async (session) => {
      const credential = requireFullCredential(session)
      if (!isSuccess(await readCodes(target, credential))) return
      const token = access === null ? undefined : session.cookies.get(access)
      for (const { how, secret } of token === undefined ? [] : withSameClaims(token))
        await judgeOne(`an altered access cookie (${how})`, {
          cookie: `${access}=${secret}`,
          csrf: undefined,
        })
      if (isSuccess(await request(target, logoutSpec(session))))
        await judgeOne('a session that was logged out', credential)
    }),
  )
}

/** Other tokens are altered anywhere. */
function withSameClaims(token: string): ReturnType<typeof alteredSecrets> {
  const claims = (text: string) => text.split('.')[1]
  return alteredSecrets(token).filter(({ secret }) => claims(secret) === claims(token))
}
