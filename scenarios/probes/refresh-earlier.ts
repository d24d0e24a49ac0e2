import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { endSession, getCredential, isAlive, refresh, signIn } from '../lib/identity/session.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import type { Reply } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { refreshLive } from './session-checks.ts'

const RULE = 'auth.refresh.rotates'

/**
 * A sign-in leaves the refresh tokens of the wallet's earlier sessions valid. A rejection counts if it persists, with two new
 * sessions each time, while the earlier one is served and the later one refreshes. Passes nothing.
 */
export async function judgeEarlier(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  await unlessCannot(async () => {
    const { outcome, last, explanation } = await confirm<Attempt>({
      first: await refreshEarlier(target, wallet),
      describeError: ({ reply, isAlone }) => (isAlone ? String(reply.status) : undefined),
      again: () => refreshEarlier(target, wallet),
      witness: async () => ({ served: true, explanation: 'it reads, and the later session refreshes' }),
    })
    const seen = `a session whose wallet has signed in again since: ${explanation}`
    if (outcome === 'persistent') judge.fail(RULE, seen, [last.reply.evidence()])
  })
}

/** `isAlone`: only the refresh of the earlier session is rejected. */
type Attempt = { reply: Reply; isAlone: boolean }

async function refreshEarlier(target: Target, wallet: Wallet): Promise<Attempt> {
  const earlier = await signIn(target, wallet)
  try {
    const later = await signIn(target, wallet)
    try {
      const reply = await refresh(target, earlier)
      if (!isClientError(reply)) return { reply, isAlone: false }
      const { alive } = await isAlive(target, getCredential(earlier))
      return { reply, isAlone: alive && (await refreshLive(target, later)).served }
    } finally {
      await endSession(target, later)
    }
  } finally {
    await endSession(target, earlier)
  }
}
