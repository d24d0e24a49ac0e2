import { listApiTokens, revokeApiToken, withApiToken } from '../lib/identity/api-token.ts'
import { fullCredentialOf, isAlive, withSession } from '../lib/identity/session.ts'
import { differentWallets } from '../lib/identity/wallet.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isSuccess } from '../lib/requests/request.ts'

/** A token is its owner's to revoke. */
export const foreignRevoke: Probe = {
  rules: ['api-token.revoke.own-only'],
  world: 'main',
  async run(target, judge) {
    const rule = 'api-token.revoke.own-only'
    const [owner, other] = differentWallets(target, 'apiTokens', 'tokensOfAnother')
    await withSession(target, owner, async (session) => {
      const credential = fullCredentialOf(session)
      await withApiToken(target, credential, async ({ id, bearer }) => {
        if (!(await isAlive(target, bearer)).alive) throw new CannotJudge('the token does not work')
        await withSession(target, other, async (stranger) => {
          const foreign = fullCredentialOf(stranger)
          const list = await listApiTokens(target, foreign)
          if (!isSuccess(list))
            throw new CannotJudge(`the other wallet manages no tokens: ${list.evidence()}`)
          const tried = await revokeApiToken(target, { id, credential: foreign })
          const after = await isAlive(target, bearer)
          const seen = `answered ${tried.status}, the token ${after.alive ? 'works on' : 'has ended'}`
          const evidence = [tried.evidence(), after.reply.evidence()]
          if (!after.alive) judge.fail(rule, seen, evidence)
          // Its owner must be able to, or nothing was refused to the other.
          await revokeApiToken(target, { id, credential })
          if ((await isAlive(target, bearer)).alive)
            judge.inconclusive(rule, 'nobody can revoke it', evidence)
          else judge.pass(rule, seen, evidence)
        })
      })
    })
  },
}
