import type { Target } from '../../contract/scenario-config.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import { authenticatePatiently, isServed, throwIfRestarted } from '../lib/feed/served-feed.ts'
import type { Credential } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'

/** A credential that is no ticket. */
export function secretOf(target: Target, credential: Credential): string {
  if ('bearer' in credential) return credential.bearer
  const { access } = target.profile.choices.cookies
  const cookies = new Map(credential.cookie.split('; ').map((one) => splitAt(one, one.indexOf('='))))
  return cookies.get(access ?? '') ?? credential.cookie
}

function splitAt(text: string, at: number): [string, string] {
  return [text.slice(0, at), text.slice(at + 1)]
}

/**
 * Only tickets are valid renewals: after anything else the connection ends, at once or with its ticket. If a new socket takes it
 * for a ticket too, other rules say so.
 */
export async function judgeMisled(
  target: Target,
  judge: Judge,
  { misled, secret }: { misled: Feed; secret: string },
): Promise<void> {
  await misled.until(() => false, 2000)
  throwIfRestarted(misled)
  if (misled.closed() === undefined) {
    const fresh = await openFeed(target)
    await authenticatePatiently(fresh, secret)
    const seen = 'still open after 75 s, renewed with a credential that is no ticket'
    if (!(await isServed(fresh))) judge.fail('ws.ticket.ends-connection', seen, misled.evidence())
    fresh.close()
  }
  misled.close()
}
