import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from './cannot.ts'
import { whyNoSuchRead } from './not-the-exchange.ts'
import { request } from './request.ts'

/** Reads that every exchange has, for everybody. */
const PUBLIC_READS = ['/pools', '/explore/pools', '/tokens']

/** Those that were found to be one, by address. */
const found = new Set<string>()

/**
 * Throws CannotJudge where nothing of an exchange is at the target's address, as where baseUrl is wrong: then every rule
 * would seem broken. One read in each VU where all is well.
 */
export async function mustBeAnExchange(target: Target): Promise<void> {
  const { baseUrl } = target.profile
  const seen: string[] = []
  for (const path of found.has(baseUrl) ? [] : PUBLIC_READS) {
    const reply = await request(target, { method: 'GET', path, anybody: true })
    const why = whyNoSuchRead(reply)
    if (why === undefined) {
      found.add(baseUrl)
      return
    }
    seen.push(`GET ${path}: ${why}`)
  }
  if (seen.length > 0)
    throw new CannotJudge(`no exchange at ${baseUrl}, is baseUrl right? ${seen.join('; ')}`)
}
