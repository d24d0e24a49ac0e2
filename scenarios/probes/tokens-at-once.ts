import type { Target } from '../../contract/scenario-config.ts'
import { type ApiToken, createdToken, revokeApiToken, tryApiToken } from '../lib/identity/api-token.ts'
import type { requireFullCredential } from '../lib/identity/session.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import type { Judge } from '../lib/verdict/judge.ts'

const RULE = 'api-token.revoke.ends'

/** The first pair may have to wait for a second connection. */
const PAIRS = 2

/**
 * Two tokens that a wallet creates at the same time are two tokens: each must work. A rejection counts if it persists while the other
 * one is served. A server may reject one of the creations. Passes nothing, and revokes the tokens.
 */
export async function judgeCreatedAtOnce(
  target: Target,
  judge: Judge,
  credential: ReturnType<typeof requireFullCredential>,
): Promise<void> {
  for (let number = 0; number < PAIRS; number++) {
    const replies = await Promise.all([tryApiToken(target, credential), tryApiToken(target, credential)])
    const made: ApiToken[] = []
    for (const reply of replies) {
      const token = await createdToken(target, reply, credential)
      if (token) made.push(token)
    }
    try {
      const [one, other] = made
      if (!one || !other) return
      await judgeOne(target, judge, { token: one, witness: other })
      await judgeOne(target, judge, { token: other, witness: one })
    } finally {
      // Cleanup: the result affects no verdict.
      for (const { id } of made) await revokeApiToken(target, { id, credential }).catch(() => undefined)
    }
  }
}

async function judgeOne(
  target: Target,
  judge: Judge,
  { token, witness }: { token: ApiToken; witness: ApiToken },
): Promise<void> {
  const { outcome, reply, explanation } = await isStillServed(target, token.bearer, {
    witness: witness.bearer,
  })
  const seen = `of two tokens created at the same time, one fails: ${explanation}`
  if (outcome === 'refused') judge.fail(RULE, seen, [token.reply.evidence(), reply.evidence()])
}
