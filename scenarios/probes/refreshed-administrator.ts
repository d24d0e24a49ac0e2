import type { Target } from '../../contract/scenario-config.ts'
import { readCodes } from '../lib/identity/referral-codes.ts'
import { credentialRead, getCredential, refresh, type Session, withSession } from '../lib/identity/session.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

/**
 * A refresh keeps the authority of a session that has read the referral codes: fails a 401 or 403 that persists while it reads
 * other data, and a fresh session of the administrator reads the codes. Passes nothing.
 */
export async function judgeRefreshedAdministrator(
  target: Target,
  judge: Judge,
  session: Session,
): Promise<void> {
  await unlessCannot(async () => {
    if (!isSuccess(await refresh(target, session))) return
    const first = await readCodes(target, getCredential(session))
    if (describeDenial(first) === undefined) return
    await withSession(target, session.wallet, async (fresh) => {
      const { outcome, last, explanation } = await confirm<Reply>({
        first,
        describeError: describeDenial,
        again: () => readCodes(target, getCredential(session)),
        witness: async () => {
          const { status } = await request(target, credentialRead(target, getCredential(session)))
          const codes = await readCodes(target, getCredential(fresh))
          return {
            served: status === 200 && codes.status === 200,
            explanation: `other data -> ${status}, the codes with a fresh session -> ${codes.status}`,
          }
        },
      })
      const seen = `the refreshed session of an administrator: ${explanation}`
      if (outcome === 'persistent') judge.fail('admin.codes.record', seen, [last.evidence()])
    })
  })
}

function describeDenial({ status }: Reply): string | undefined {
  return status === 401 || status === 403 ? String(status) : undefined
}
