import type { Target } from '../../../contract/scenario-config.ts'
import { CannotJudge } from '../verdict/cannot.ts'
import { whyNoSuchRead } from '../verdict/not-the-exchange.ts'
import { request } from './request.ts'

/** Reads that every exchange has, for everybody. */
const PUBLIC_READS = ['/pools', '/explore/pools', '/tokens']
/** For how long a probe believes what another was told. */
const BELIEVED_MS = 60_000

/** What was found, by address: undefined where it is an exchange. */
const found = new Map<string, { atMs: number; error: unknown }>()

/**
 * Throws CannotJudge where nothing of an exchange is at the target's address, as where baseUrl is wrong: then every rule
 * would seem broken. One read in each VU where all is well; where it is not, the next probe does not wait for it again.
 */
export async function mustBeAnExchange(target: Target): Promise<void> {
  const { baseUrl } = target.profile
  const known = found.get(baseUrl)
  if (known && known.error === undefined) return
  if (known && Date.now() - known.atMs < BELIEVED_MS) throw known.error
  try {
    await look(target)
    found.set(baseUrl, { atMs: Date.now(), error: undefined })
  } catch (error) {
    found.set(baseUrl, { atMs: Date.now(), error })
    throw error
  }
}

async function look(target: Target): Promise<void> {
  const seen: string[] = []
  for (const path of PUBLIC_READS) {
    const why = whyNoSuchRead(await request(target, { method: 'GET', path, anybody: true }))
    if (why === undefined) return
    seen.push(`GET ${path}: ${why}`)
  }
  throw new CannotJudge(`no exchange at ${target.profile.baseUrl}, is baseUrl right? ${seen.join('; ')}`)
}
