import type { Target } from '../../contract/scenario-config.ts'
import { listApiTokens, withApiToken } from '../lib/identity/api-token.ts'
import { getCredential, refresh, requireFullCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { type Credential, request } from '../lib/requests/request.ts'
import { SECRET_RULES, watch } from '../lib/requests/watch-secrets.ts'
import { CannotJudge, CannotProbe } from '../lib/verdict/judge.ts'

/** The trailing slash may cause a redirect. */
const READS = ['/swaps', '/swaps/', '/access/status', '/auth/ws-ticket', '/auth/sessions']

/** Creates and sends every kind of credential, then evaluates the secret watch, which also saw earlier probes. */
export const secrets: Probe = {
  rules: Object.keys(SECRET_RULES),
  world: 'main',
  async run(target, judge) {
    const [token] = target.apiTokens
    const hasWallet = target.wallets.some(({ hasAccess, admin }) => hasAccess && !admin)
    if (!hasWallet && token === undefined) throw new CannotProbe('needs a wallet or an API token', 'wallets')
    if (token !== undefined) await readAll(target, { bearer: token })
    if (hasWallet) await useSession(target)
    const found = watch.takeFound()
    const seen = `${watch.answers()} answers, ${watch.secrets()} credentials`
    if (watch.secrets() === 0) throw new CannotJudge(`no credential to check for in ${seen}`)
    for (const [rule, place] of Object.entries(SECRET_RULES))
      judge.that(rule, found[place].length === 0, found[place].join('; ') || `none in ${seen}`)
  },
}

async function useSession(target: Target): Promise<void> {
  await withSession(target, walletFor(target, 'signIn'), async (session) => {
    await refresh(target, session)
    await readAll(target, getCredential(session))
    if (session.csrf === undefined) return
    const credential = requireFullCredential(session)
    let revoked: Credential | undefined
    await withApiToken(target, credential, async ({ bearer }) => {
      revoked = bearer
      await listApiTokens(target, credential)
      await readAll(target, bearer)
    })
    // Error responses to a revoked credential may repeat it.
    await readAll(target, revoked)
  })
}

async function readAll(target: Target, credential: Credential | undefined): Promise<void> {
  for (const path of READS) await request(target, { method: 'GET', path, credential, anybody: true })
}
