import type { Target } from '../../contract/scenario-config.ts'
import { type ApiToken, listApiTokens, revokeApiToken } from '../lib/identity/api-token.ts'
import { isAlive, requireFullCredential, type Session, withSession } from '../lib/identity/session.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isSuccess, type Reply } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { judgeListedToAnother } from './token-list.ts'

const RULE = 'api-token.revoke.ends'

/**
 * The wallet owns its tokens, whichever of its sessions created them: another session revokes a live token. A rejection counts if
 * it persists while that session lists tokens, and the session that created the token revokes it then. Passes nothing, and always
 * revokes the token.
 */
export async function judgeRevokedByAnother(
  target: Target,
  judge: Judge,
  { token, maker }: { token: ApiToken; maker: Session },
): Promise<void> {
  const { id, bearer } = token
  const revokeByMaker = () => revokeApiToken(target, { id, credential: requireFullCredential(maker) })
  let isRevoked = false
  await unlessCannot(() =>
    withSession(target, maker.wallet, async (another) => {
      await judgeListedToAnother(target, judge, { token, maker, another })
      const credential = requireFullCredential(another)
      const revoke = () => revokeApiToken(target, { id, credential })
      const { outcome, last, explanation } = await confirm<Reply>({
        first: await revoke(),
        describeError: (reply) => (isClientError(reply) ? String(reply.status) : undefined),
        again: revoke,
        witness: async () => {
          const list = await listApiTokens(target, credential)
          const { alive } = await isAlive(target, bearer)
          const explanation = `its list of tokens -> ${list.status}, the token is ${alive ? 'alive' : 'ended'}`
          return { served: list.status === 200 && alive, explanation }
        },
      })
      const after = await isAlive(target, bearer)
      isRevoked = !after.alive
      const evidence = [last.evidence(), after.reply.evidence()]
      if (isSuccess(last) && after.alive) {
        const seen = `another session of the wallet revoked a token: ${last.status}, but the next read with it returned ${after.reply.status}`
        judge.fail(RULE, seen, evidence)
      }
      if (outcome !== 'persistent' || !after.alive) return
      const byMaker = await revokeByMaker()
      isRevoked = isSuccess(byMaker) && !(await isAlive(target, bearer)).alive
      const rejected = `another session of the wallet cannot revoke a token: ${explanation}`
      if (isRevoked) judge.fail(RULE, rejected, [...evidence, byMaker.evidence()])
    }),
  )
  if (!isRevoked) await revokeByMaker()
}
