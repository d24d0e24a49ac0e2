import { withApiToken } from '../lib/identity/api-token.ts'
import { readCodes } from '../lib/identity/referral-codes.ts'
import { credentialOf, fullCredentialOf, withSession } from '../lib/identity/session.ts'
import { administratorOf, walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { judgeRefused } from '../lib/requests/refusal.ts'
import { isSuccess } from '../lib/requests/request.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'
import { check } from '../lib/verdict/check.ts'

/** The inventory of referral codes: of the administrator's session alone. */
export const codes: Probe = {
  rules: ['admin.codes.record', 'admin.codes.session-only'],
  world: 'main',
  run(target, judge) {
    return withSession(target, administratorOf(target), async (session) => {
      const reply = await readCodes(target, credentialOf(session))
      if (!isSuccess(reply))
        throw new CannotJudge(`the administrator of the profile is refused with ${reply.status}`)
      const problems = check('codeInventory', reply.json)
      judge.that('admin.codes.record', problems.length === 0, problems.slice(0, 10).join('; ') || 'fits')
      await withApiToken(target, fullCredentialOf(session), async ({ bearer }) => {
        const tries = [await readCodes(target, bearer)]
        await readCodes(target, credentialOf(session))
        tries.push(await readCodes(target, bearer))
        judgeRefused(judge, 'admin.codes.session-only', tries)
      })
    })
  },
}

/** Nothing else is wrong with the request: whatever 4xx it gets, it is for who asks. */
export const codesOfOthers: Probe = {
  rules: ['admin.codes.refused-to-others'],
  world: 'main',
  run(target, judge) {
    return withSession(target, walletFor(target, 'referral'), async (session) => {
      const tries = [await readCodes(target, credentialOf(session))]
      // Served to an administrator in between, if the profile names one.
      if (target.wallets.some(({ admin }) => admin))
        await withSession(target, administratorOf(target), async (admin) => {
          await readCodes(target, credentialOf(admin))
          tries.push(await readCodes(target, credentialOf(session)))
        })
      else tries.push(await readCodes(target, credentialOf(session)))
      judgeRefused(judge, 'admin.codes.refused-to-others', tries)
    })
  },
}
