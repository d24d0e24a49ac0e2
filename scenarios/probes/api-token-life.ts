import { withApiToken } from '../lib/identity/api-token.ts'
import { fullCredentialOf, isAlive, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'
import { control, mustHaveControl } from '../lib/world/control.ts'
import { readSwaps } from './api-tokens.ts'

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
          const seen = `a read answered ${old.status} two days later`
          judge.that('api-token.life.expires', old.status === 401, seen, [old.evidence()])
        } finally {
          await control(target, '/revert', { snapshot })
          await control(target, '/snapshot/drop', { snapshot })
        }
      }),
    )
  },
}
