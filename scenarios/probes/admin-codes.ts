import { withApiToken } from '../lib/api-token.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { check } from '../lib/check.ts'
import type { Probe } from '../lib/probe.ts'
import { readCodes } from '../lib/referral-codes.ts'
import { judgeRefused } from '../lib/refusal.ts'
import { isSuccess } from '../lib/request.ts'
import { credentialOf, fullCredentialOf, withSession } from '../lib/session.ts'
import { administratorOf, walletFor } from '../lib/wallet.ts'

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
        judgeRefused(judge, 'admin.codes.session-only', [await readCodes(target, bearer)])
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
      const reply = await readCodes(target, credentialOf(session))
      judgeRefused(judge, 'admin.codes.refused-to-others', [reply])
    })
  },
}
