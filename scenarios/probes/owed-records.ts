import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { awaitUnclaimed, readOwedTo, readUnclaimed, type Unclaimed } from '../lib/market/read-unclaimed.ts'
import { findOtherSwap } from '../lib/market/swap-problems.ts'
import { readSwapEnds } from '../lib/market/swap-watch.ts'
import { pickRows } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { recordProblems } from '../lib/probe/record-problems.ts'
import { findOtherDecimals, listInfos } from '../lib/probe/token-decimals.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { CATCH_UP_GAP_MS } from '../lib/requests/persistence.ts'
import type { Reply } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { judgeRecords, PAGE } from './records.ts'

/** Outputs owed to the wallet, with the first credential that is owed any. */
export const unclaimed: Probe = {
  rules: ['wire.unclaimed.record'],
  world: 'reads',
  async run(target, judge) {
    const { reply, credential } = await awaitUnclaimed(target, ['pending_swaps', 'positions_with_owed'])
    await unlessCannot(() => judgePending(target, judge, { reply, credential }))
    const owed = ['pending_swaps', 'positions_with_owed'].flatMap(
      (list) => pickRows(reply.json, `data.${list}`) ?? [],
    )
    judgeRecords(judge, reply, {
      rule: 'wire.unclaimed.record',
      endpoint: 'GET /unclaimed',
      rows: owed.length,
    })
  },
}

/** Fails the rule if a pending swap contradicts its row in /swaps four times. */
async function judgePending(target: Target, judge: Judge, { reply, credential }: Unclaimed): Promise<void> {
  const compare = async (owed: Reply) => {
    const pending = pickRows(owed.json, 'data.pending_swaps') ?? []
    return pending.length > 0 ? findOtherSwap(pending, await readSwapEnds(target, credential)) : undefined
  }
  const { outcome, explanation } = await confirm({
    first: await compare(reply),
    describeError: (found) => found,
    again: async () => compare((await readOwedTo(target, credential)).reply),
    witness: async () => ({ served: true, explanation: '/unclaimed and /swaps' }),
    serverWaitMs: CATCH_UP_GAP_MS,
  })
  if (outcome === 'persistent') judge.fail('wire.unclaimed.record', explanation, [reply.evidence()])
}

/** Token infos are optional, but must be valid. */
export const tokenInfos: Probe = {
  rules: ['wire.token-info.record'],
  world: 'reads',
  async run(target, judge) {
    const rule = 'wire.token-info.record'
    const credential = await readCredential(target)
    const readSwaps = () => requestParsed(target, { path: '/swaps', query: PAGE, credential })
    const swaps = await readSwaps()
    const { reply: owed } = await readUnclaimed(target, ['pending_swaps', 'positions_with_owed'])
    const replies = [
      { reply: swaps, endpoint: 'GET /swaps' },
      { reply: owed, endpoint: 'GET /unclaimed' },
    ]
    const wrong = replies.flatMap(({ reply, endpoint }) => {
      const problems = recordProblems(endpoint, rule, reply.json)
      return problems.map((problem) => ({ problem, reply }))
    })
    const given = replies.flatMap(({ reply }) => listInfos(reply.json)).length
    const evidence = [...new Set(wrong.map(({ reply }) => reply.evidence()))]
    const explanation = wrong.slice(0, 5).map(({ problem }) => problem)
    if (wrong.length > 0) judge.fail(rule, explanation.join('; '), evidence)
    const again = async () => listInfos((await readSwaps()).json)
    await unlessCannot(() => judgeDecimals(target, judge, { rule, infos: listInfos(swaps.json), again }))
    if (given === 0) judge.inconclusive(rule, 'no swap and no owed output has a token info')
    else judge.pass(rule, `${given} token infos are valid`)
  },
}

/** Fails the rule if a token info of /swaps has other decimals than the explore rows of its token, four times. */
async function judgeDecimals(
  target: Target,
  judge: Judge,
  options: { rule: string; infos: readonly unknown[]; again: () => Promise<unknown[]> },
): Promise<void> {
  const { rule, infos, again } = options
  let evidence: string[] = []
  const compare = async (shown: readonly unknown[]) => {
    const explore = await requestParsed(target, { path: '/explore/pools', query: PAGE })
    evidence = [explore.evidence()]
    return findOtherDecimals(shown, pickRows(explore.json, 'data') ?? [])
  }
  if (infos.length === 0) return
  const { outcome, explanation } = await confirm({
    first: await compare(infos),
    describeError: (found) => found,
    again: async () => compare(await again()),
    witness: async () => ({ served: true, explanation: '/explore/pools' }),
  })
  if (outcome === 'persistent') judge.fail(rule, explanation, evidence)
}
