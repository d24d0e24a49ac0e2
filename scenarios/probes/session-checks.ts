import type { Target } from '../../contract/scenario-config.ts'
import { type ApiToken, createdToken, postApiToken, revokeApiToken } from '../lib/identity/api-token.ts'
import { getCredential, isAlive, requireFullCredential, type Session } from '../lib/identity/session.ts'
import { sharesWallets } from '../lib/identity/shared-wallets.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

/** Describes whether each session is alive or ended. */
export async function aliveness(
  target: Target,
  named: Record<string, Session>,
): Promise<{ text: string; evidence: string[] }> {
  const parts: string[] = []
  const evidence: string[] = []
  for (const [name, session] of Object.entries(named)) {
    const { alive, reply } = await isAlive(target, getCredential(session))
    parts.push(`${name}: ${alive ? 'alive' : 'ended'}`)
    evidence.push(reply.evidence())
  }
  return { text: parts.join(', '), evidence }
}

/**
 * Fails the rule if `earlier`, which was alive, has ended now that another session of the wallet has begun or was refreshed, and
 * is served. Passes nothing. Other probes with the same wallet may have ended it, so then it judges nothing.
 */
export async function judgeNotEnded(
  target: Target,
  judge: Judge,
  { rule, after, earlier, other }: { rule: string; after: string; earlier: Session; other: Session },
): Promise<void> {
  if (sharesWallets(target)) return
  const { outcome, reply, explanation } = await isStillServed(target, getCredential(earlier), {
    witness: getCredential(other),
  })
  const seen = `${after} of the wallet ends another session: ${explanation}`
  if (outcome === 'refused') judge.fail(rule, seen, [reply.evidence()])
}

/** An API token that works, if the session can make one. */
export async function makeToken(target: Target, by: Session): Promise<ApiToken | undefined> {
  let made: ApiToken | undefined
  await unlessCannot(async () => {
    const credential = requireFullCredential(by)
    const token = await createdToken(target, await postApiToken(target, credential), credential)
    if (token && (await isAlive(target, token.bearer)).alive) made = token
    else if (token) await revokeApiToken(target, { id: token.id, credential })
  })
  return made
}

/** Only its own revocation ends an API token. Revokes it by a live session of its owner. */
export async function judgeToken(
  target: Target,
  judge: Judge,
  { rule, token, owner }: { rule: string; token: ApiToken | undefined; owner: Session },
): Promise<void> {
  if (token === undefined) return
  const credential = getCredential(owner)
  await unlessCannot(async () => {
    const { outcome, reply, explanation } = await isStillServed(target, token.bearer, { witness: credential })
    if (outcome === 'refused')
      judge.fail(rule, `an API token of the wallet ends too: ${explanation}`, [reply.evidence()])
    await revokeApiToken(target, { id: token.id, credential })
  })
}
