import { exactFields } from '../../contract/exact-fields.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { findOpenInexact, POOL_READS, POOLS_STATS } from '../lib/probe/open-reads.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { RequestSpec } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { CannotJudge, unlessCannot } from '../lib/verdict/judge.ts'
import { portfolioPaths } from './data-paths.ts'

type Read = Omit<RequestSpec, 'method'>

const RULE = 'wire.open-reads.exact'

/** Each read once. The watch of all responses checks those that other probes receive. */
export const openReads: Probe = {
  rules: [RULE],
  world: 'main',
  async run(target, judge) {
    const { choices } = target.profile
    let texts = 0
    for (const read of await listReads(target))
      await unlessCannot(async () => {
        const reply = await requestParsed(target, read)
        if (reply.status !== 200) return
        const inexact = findOpenInexact({ method: 'GET', ...read }, reply, choices)
        const seen = `${read.route ?? read.path}: ${inexact.slice(0, 3).join(', ')}`
        if (inexact.length > 0) judge.fail(RULE, seen, [reply.evidence()])
        texts += exactFields(reply.json).texts.length
      })
    if (texts === 0) judge.inconclusive(RULE, 'no field with the name of an exact figure')
    else judge.pass(RULE, `${texts} exact figures are strings`)
  },
}

async function listReads(target: Target): Promise<Read[]> {
  const list = await requestParsed(target, { path: '/pools', query: { limit: '5' } })
  const key = pickText(pickRows(list.json, 'data')?.[0], 'key')
  if (key === undefined) throw new CannotJudge(`no pool to read: ${list.evidence()}`)
  const pool = `/pools/${encodeURIComponent(key)}`
  const reads: Read[] = [
    { path: POOLS_STATS },
    ...POOL_READS.map((name) => ({ path: `${pool}/${name}`, route: `/pools/{key}/${name}` })),
  ]
  await unlessCannot(async () => {
    const credential = await readCredential(target)
    reads.push(...portfolioPaths(target.profile).map((path) => ({ path, credential })))
  })
  return reads
}
