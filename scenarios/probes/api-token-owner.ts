import { listApiTokens, revokeApiToken, withApiToken } from '../lib/api-token.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { control, mustHaveControl } from '../lib/control.ts'
import { pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { isSuccess } from '../lib/request.ts'
import { fullCredentialOf, isAlive, withSession } from '../lib/session.ts'
import { differentWallets, walletFor } from '../lib/wallet.ts'
import { readSwaps } from './api-tokens.ts'

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

const DAY_MS = 24 * 60 * 60 * 1000

/** Two days for a token of one: days may be counted to their end. */
export const tokenLife: Probe = {
  rules: ['api-token.life.expires'],
  world: 'clock',
  async run(target, judge) {
    mustHaveControl(target, 'waiting for an API token to expire')
    await withSession(target, walletFor(target, 'tokenLife'), (session) =>
      withApiToken(target, fullCredentialOf(session), async ({ bearer }) => {
        const young = await isAlive(target, bearer)
        if (!young.alive) throw new CannotJudge(`the token does not work: ${young.reply.evidence()}`)
        const snapshot = pickText(await control(target, '/snapshot'), 'snapshot')
        if (snapshot === undefined) throw new CannotJudge('the control API took no snapshot')
        try {
          // Else two days of blocks are mined on the way.
          await control(target, '/mining', { mode: 'paused' })
          await control(target, '/clock/advance', { ms: 2 * DAY_MS + 60_000 })
          const old = await readSwaps(target, { bearer })
          const seen = `/swaps answered ${old.status} two days later`
          judge.that('api-token.life.expires', old.status === 401, seen, [old.evidence()])
        } finally {
          await control(target, '/revert', { snapshot })
          await control(target, '/snapshot/drop', { snapshot })
        }
      }),
    )
  },
}
