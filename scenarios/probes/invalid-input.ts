import type { Target } from '../../contract/scenario-config.ts'
import { createdToken, revokeApiToken } from '../lib/identity/api-token.ts'
import { requireFullCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { type RequestSpec, request } from '../lib/requests/request.ts'
import { unlessCannot } from '../lib/verdict/judge.ts'

/** Changes with invalid input, for the error watch to check the rejections. An accepted API token is revoked. */
export async function sendInvalid(target: Target): Promise<void> {
  const send = (spec: RequestSpec) => unlessCannot(async () => void (await request(target, spec)))
  await unlessCannot(() =>
    withSession(target, walletFor(target, 'apiTokens'), async (session) => {
      const credential = requireFullCredential(session)
      await unlessCannot(() => postNumber(target, credential))
      await send({ method: 'DELETE', path: '/api-tokens/not-a-uuid', route: '/api-tokens/{id}', credential })
    }),
  )
}

async function postNumber(
  target: Target,
  credential: ReturnType<typeof requireFullCredential>,
): Promise<void> {
  const body = { name: 7, expires_in_days: 1 }
  const reply = await request(target, { method: 'POST', path: '/api-tokens', credential, body, once: true })
  const made = await createdToken(target, reply, credential)
  if (made) await revokeApiToken(target, { id: made.id, credential })
}
