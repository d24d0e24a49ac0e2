import type { Target } from '../../../contract/scenario-config.ts'
import { CannotJudge, NotServed } from '../verdict/judge.ts'
import { confirm } from './confirm.ts'
import { explainMissingRead } from './reply.ts'
import { isError, type Reply, type RequestSpec, request } from './request.ts'
import { requestParsed } from './request-parsed.ts'

type Read = Omit<RequestSpec, 'method'>

/** A firewall may reject a query's words whatever the credential, and any request may be rate limited. */
const OF_OTHERS = [403, 429]

/** Thrown if a 4xx persists, not an error. */
export class Refused extends NotServed {}

/**
 * Sends a read that the specification promises. Throws NotServed if an error or a 4xx persists while the
 * sibling, the same read with other parameters, is served, and CannotJudge for any other status but 200.
 */
export async function mustBeServed(
  target: Target,
  read: Read,
  sibling: Read,
  { unclear = OF_OTHERS, how = 'the same read with other parameters' } = {},
): Promise<Reply> {
  const first = await requestParsed(target, read)
  if (first.status === 200) return first
  const witness = async () => {
    const { status } = await requestParsed(target, sibling)
    return { served: status === 200, explanation: `${how} -> ${status}` }
  }
  if (isError(first)) {
    const { served, explanation } = await witness()
    if (served) throw new NotServed(`a persistent error, while ${explanation}`, [first.evidence()])
    throw new CannotJudge(`cannot be read: ${first.evidence()} (${explanation})`)
  }
  if (first.status < 400 || unclear.includes(first.status))
    throw new CannotJudge(`cannot be read: ${first.evidence()}`)
  const { outcome, last, explanation } = await confirm({
    first,
    describeError: ({ status }) => (status === 200 ? undefined : String(status)),
    again: () => requestParsed(target, read),
    witness,
  })
  if (outcome === 'persistent') throw new Refused(explanation, [last.evidence()])
  if (outcome === 'gone') return last
  throw new CannotJudge(`cannot be read: ${first.evidence()} (${explanation})`)
}

const PUBLIC_READS = ['/pools', '/explore/pools', '/tokens']
/** How long probes of this VU trust a failed check. */
const BELIEVED_MS = 60_000

/** Results by target URL; undefined if it is an exchange. */
const found = new Map<string, { atMs: number; error: unknown }>()

/**
 * Throws CannotJudge if there is no exchange at the target's URL, such as with a wrong baseUrl: every rule
 * would seem violated. Costs one read per VU if all is well, and caches a failure so that the next probe does
 * not wait again.
 */
export async function mustBeAnExchange(target: Target): Promise<void> {
  const { baseUrl } = target.profile
  const known = found.get(baseUrl)
  if (known && known.error === undefined) return
  if (known && Date.now() - known.atMs < BELIEVED_MS) throw known.error
  try {
    await check(target)
    found.set(baseUrl, { atMs: Date.now(), error: undefined })
  } catch (error) {
    found.set(baseUrl, { atMs: Date.now(), error })
    throw error
  }
}

async function check(target: Target): Promise<void> {
  const seen: string[] = []
  for (const path of PUBLIC_READS) {
    const why = explainMissingRead(await request(target, { method: 'GET', path, anybody: true }))
    if (why === undefined) return
    seen.push(`GET ${path}: ${why}`)
  }
  throw new CannotJudge(`no exchange at ${target.profile.baseUrl} (check baseUrl): ${seen.join('; ')}`)
}
