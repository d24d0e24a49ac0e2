import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { listApiTokens, revokeApiToken, withApiToken } from '../lib/identity/api-token.ts'
import { fullCredentialOf, isAlive, withSession } from '../lib/identity/session.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { differentWallets } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { type Credential, isSuccess } from '../lib/requests/request.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'

/** Each of two lists must show what is to be there, or it shows nothing of what is not. */
export const ownTokens: Probe = {
  rules: ['api-token.list.own-only'],
  world: 'main',
  async run(target, judge) {
    const rule = 'api-token.list.own-only'
    const [one, other] = differentWallets(target, 'apiTokens', 'tokensOfAnother')
    await withTokenOf(target, one, (mine) =>
      withTokenOf(target, other, async (foreign) => {
        const lists = await Promise.all([mine, foreign].map((by) => listApiTokens(target, by.credential)))
        const holds = lists.map((list) => [mine, foreign].map(({ id }) => list.text.includes(`"${id}"`)))
        const evidence = lists.map((list) => list.evidence())
        if (holds[0]?.[1] || holds[1]?.[0])
          judge.fail(rule, 'the token of another wallet is listed', evidence)
        else if (!holds[0]?.[0] || !holds[1]?.[1])
          judge.inconclusive(rule, 'its own token is not listed either', evidence)
        else judge.pass(rule, 'each wallet is listed its own')
      }),
    )
  },
}

type Owned = { id: string; credential: Credential }

function withTokenOf(target: Target, wallet: Wallet, use: (owned: Owned) => Promise<void>): Promise<void> {
  return withSession(target, wallet, (session) => {
    const credential = fullCredentialOf(session)
    return withApiToken(target, credential, ({ id }) => use({ id, credential }))
  })
}

/** A token is its owner's to revoke. Another one of the same owner, which nobody tries to revoke, is the witness. */
export const foreignRevoke: Probe = {
  rules: ['api-token.revoke.own-only'],
  world: 'main',
  async run(target, judge) {
    const rule = 'api-token.revoke.own-only'
    const [owner, other] = differentWallets(target, 'apiTokens', 'tokensOfAnother')
    await withSession(target, owner, async (session) => {
      const credential = fullCredentialOf(session)
      await withApiToken(target, credential, ({ id, bearer }) =>
        withApiToken(target, credential, async (untouched) => {
          for (const token of [bearer, untouched.bearer])
            if (!(await isAlive(target, token)).alive) throw new CannotJudge('the token does not work')
          await withSession(target, other, async (stranger) => {
            const foreign = fullCredentialOf(stranger)
            const list = await listApiTokens(target, foreign)
            if (!isSuccess(list))
              throw new CannotJudge(`the other wallet manages no tokens: ${list.evidence()}`)
            const tried = await revokeApiToken(target, { id, credential: foreign })
            const after = await isStillServed(target, bearer, { beside: untouched.bearer })
            const seen = `answered ${tried.status}, the token is ${after.outcome} ${after.told}`
            const evidence = [tried.evidence(), after.reply.evidence()]
            if (after.outcome === 'refused') judge.fail(rule, seen, evidence)
            if (after.outcome === 'unclear') throw new CannotJudge(seen)
            // Its owner must be able to, or nothing was refused to the other.
            await revokeApiToken(target, { id, credential })
            if ((await isAlive(target, bearer)).alive)
              judge.inconclusive(rule, 'nobody can revoke it', evidence)
            else judge.pass(rule, seen, evidence)
          })
        }),
      )
    })
  },
}
