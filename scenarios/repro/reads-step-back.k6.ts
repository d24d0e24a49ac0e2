// Reads come from lagging replicas: one client trusts each response, the other expects stale ones.
import type { Target } from '../../contract/scenario-config.ts'
import { awaitRetryAfter } from '../lib/case/over-the-limit.ts'
import { actor, beginFaults, endFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { readProtocolState } from '../lib/market/market.ts'
import { pickRevision, pickRows, pickText } from '../lib/pick.ts'
import { type Credential, request } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { walkPages } from '../lib/requests/walk.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { CannotJudge, CannotProbe, requireChoice } from '../lib/verdict/judge.ts'
import { control, elapse } from '../lib/world/control.ts'
import { judgeState } from '../probes/minimum-revision.ts'
import { poolKeys } from '../probes/pool-keys.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('behind') }

const SERVED = 'protocol.minimum.served'
/** The longest page, so that new rows do not fill it. */
const PAGE = 100

export function behind(): Promise<void> {
  return runCase([...poolKeys.rules, SERVED], async (judge) => {
    const hasty = actor('hasty-client')
    const right = actor('right-client')
    if (!hasControl(right)) throw new CannotProbe('lagging replicas require a control API')
    const credential = await readCredential(right)
    await step('some reads come from a lagging replica, and a pool is launched')
    await beginFaults()
    const key = await launchedKey(right)
    const status = await readPool(hasty, key)
    outcome(hasty, status === 200 ? 'reads the pool' : `${status} for the pool: drops it`)
    outcome(right, `got the pool with read ${await readUntilKnown(right, key)}`)

    await step('both clients page through the swaps: the first page is older than the second')
    await readSwaps(hasty, credential, 0)
    const counted = await readPages(hasty, credential)
    outcome(hasty, `counts ${counted.length} swaps, ${counted.length - new Set(counted).size} of them twice`)
    outcome(right, `stores ${new Set(await readPages(right, credential)).size} swaps, each once`)

    await step('the configuration changes, and is read repeatedly')
    await control(right, '/revision', { scope: 'fee_tiers', key: '3000' })
    const [first, second] = [await readRevision(hasty), await readRevision(hasty)]
    outcome(hasty, second < first ? 'assumes that the change was undone' : 'sees the change')
    const known = await readRevision(right)
    outcome(right, `got revision ${known} with request ${await waitForRevision(right, known)}`)

    await step('no replica lags any more: the exchange itself is checked')
    await endFaults()
    await poolKeys.run(right, judge)
    await judgeState(right, judge, known)
  })
}

/** Waits for a newly launched pool and returns its key. */
async function launchedKey(target: Target): Promise<string> {
  const known = new Set(await listedKeys(target))
  for (let tries = 0; tries < readNumber('tries'); tries++) {
    await elapse(target, readNumber('secondsBetween') * 1000)
    const key = (await listedKeys(target)).find((listed) => !known.has(listed))
    if (key !== undefined) return key
  }
  throw new CannotJudge('no pool was launched')
}

async function listedKeys(target: Target): Promise<string[]> {
  const { rows } = await walkPages(target, { path: '/pools', limit: PAGE, rowsMax: 1000 })
  return rows.map((row) => pickText(row, 'key') ?? '')
}

async function readPool(target: Target, key: string): Promise<number> {
  const path = `/pools/${encodeURIComponent(key)}`
  return (await request(target, { method: 'GET', path, route: '/pools/{key}' })).status
}

/** Returns the number of reads until the pool is served. */
async function readUntilKnown(target: Target, key: string): Promise<number> {
  for (let reads = 1; reads <= readNumber('tries'); reads++) {
    if ((await readPool(target, key)) === 200) return reads
    await elapse(target, readNumber('secondsBetween') * 1000)
  }
  throw new CannotJudge('the pool is still unknown')
}

async function readPages(target: Target, credential: Credential): Promise<string[]> {
  return [...(await readSwaps(target, credential, 0)), ...(await readSwaps(target, credential, PAGE))]
}

async function readSwaps(target: Target, credential: Credential, offset: number): Promise<string[]> {
  const reply = await requestParsed(target, {
    path: '/swaps',
    query: { limit: String(PAGE), offset: String(offset) },
    credential,
  })
  return (pickRows(reply.json, 'data') ?? []).map((row) => pickText(row, 'id') ?? '')
}

async function readRevision(target: Target): Promise<bigint> {
  const path = requireChoice(target.profile.choices.protocolState.revision, 'the path of the revision')
  const reply = await readProtocolState(target)
  const revision = pickRevision(reply.json, path)
  if (revision === undefined) throw new CannotJudge(`no revision in the response: ${reply.evidence()}`)
  return revision
}

/** Returns the number of requests until the revision is served. */
async function waitForRevision(target: Target, revision: bigint): Promise<number> {
  for (let requests = 1; requests <= readNumber('tries'); requests++) {
    const reply = await readProtocolState(target, revision)
    if (reply.status === 200) return requests
    await awaitRetryAfter(target, reply)
  }
  throw new CannotJudge('the revision is still pending')
}
