import type { Target } from '../../contract/scenario-config.ts'
import { withBearer } from '../lib/identity/api-token.ts'
import { endSession, getCredential, startSession, verifyPatiently } from '../lib/identity/session.ts'
import { pick } from '../lib/pick.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

const RULE = 'referral.access.record'
const PATH = 'data.has_access'

/** `has_access` of a wallet with access, by API token and session, and of one without, if it may sign in. */
export async function judgeHasAccess(target: Target, judge: Judge): Promise<void> {
  await unlessCannot(() =>
    withBearer(target, { use: 'apiTokens', prefer: 'made' }, async (bearer, made) => {
      // The profile does not state the wallet of a given token.
      if (made === undefined) return
      await judgeOne(target, judge, { credential: bearer, by: 'API token', hasAccess: true })
      const credential = getCredential(made.session)
      await judgeOne(target, judge, { credential, by: 'session', hasAccess: true })
    }),
  )
  const wallet = target.wallets.find(({ hasAccess }) => !hasAccess)
  if (wallet === undefined) return
  await unlessCannot(async () => {
    const verified = await verifyPatiently(target, wallet)
    if (!isSuccess(verified)) return
    const session = startSession(target, { wallet, verified })
    try {
      await judgeOne(target, judge, { credential: getCredential(session), by: 'session', hasAccess: false })
    } finally {
      await endSession(target, session)
    }
  })
}

/** The witness, a read that needs access, shows that the profile is right about the wallet. */
async function judgeOne(
  target: Target,
  judge: Judge,
  { credential, by, hasAccess }: { credential: Credential; by: string; hasAccess: boolean },
): Promise<void> {
  const read = () => request(target, { method: 'GET', path: '/access/status', credential })
  const { outcome, last, explanation } = await confirm<Reply>({
    first: await read(),
    describeError: (reply) =>
      isSuccess(reply) && pick(reply.json, PATH) === !hasAccess ? `has_access is ${!hasAccess}` : undefined,
    again: read,
    witness: async () => {
      const { status } = await request(target, {
        method: 'GET',
        path: '/swaps',
        query: { limit: '1' },
        credential,
      })
      return {
        served: status === (hasAccess ? 200 : 403),
        explanation: `GET /swaps with the same credential -> ${status}`,
      }
    },
  })
  const seen = `by ${by} of a wallet with${hasAccess ? '' : 'out'} access: ${explanation}`
  if (outcome === 'persistent') judge.fail(RULE, seen, [last.evidence()])
}
