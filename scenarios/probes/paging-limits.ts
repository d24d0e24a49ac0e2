import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { pickRows } from '../lib/pick.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isRefusal } from '../lib/probe/refusal.ts'
import { isSuccess, type Reply } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { readTotal } from '../lib/requests/walk.ts'

const PATH = '/explore/pools'

const ACCEPTED = [
  ['paging.limit.accepts-1', 1],
  ['paging.limit.accepts-100', 100],
] as const

/** What is no page at all: refused with 400, as all invalid query parameters of this list are. */
const REJECTED: readonly (readonly [rule: string, name: string, values: readonly string[]])[] = [
  ['paging.limit.rejects-0', 'limit', ['0']],
  ['paging.limit.rejects-101', 'limit', ['101', '1000']],
  ['paging.limit.rejects-text', 'limit', ['many', '1.5']],
  ['paging.limit.rejects-negative', 'limit', ['-1', '-10']],
  ['paging.offset.rejects-text', 'offset', ['start', '1.5']],
  ['paging.explore.rejects-window', 'window', ['never']],
  ['paging.explore.rejects-order', 'order', ['sideways']],
]

const WINDOWS = ['1h', '1d', '1w', '1m']

/** The bounds of a page, from both sides. */
export const pagingLimits: Probe = {
  rules: [
    ...ACCEPTED.map(([rule]) => rule),
    ...REJECTED.map(([rule]) => rule),
    'paging.explore.window-accepted',
    'paging.limit.canonical',
  ],
  world: 'main',
  async run(target, judge) {
    for (const [rule, limit] of ACCEPTED) {
      const reply = await requestParsed(target, { path: PATH, query: { limit: String(limit) } })
      judgePage(judge, { rule, reply, limit })
    }

    for (const [rule, name, values] of REJECTED) {
      const taken: Reply[] = []
      for (const value of values) {
        const reply = await requestParsed(target, { path: PATH, query: { [name]: value } })
        if (reply.status !== 400) taken.push(reply)
      }
      const seen = `${values.map((value) => `${name}=${value}`).join(', ')}: ${taken.length} not answered with 400`
      judge.that(rule, taken.length === 0, seen, evidenceOf(taken))
    }
    await judgeWindows(target, judge)
    await judgeSpellings(target, judge)
  },
}

/** The bounds of a page of /swaps, where the specification does not say how a page too long is turned down. */
export const swapLimits: Probe = {
  rules: [
    'paging.swaps.accepts-1',
    'paging.swaps.accepts-100',
    'paging.swaps.at-most-100',
    'paging.swaps.at-least-1',
  ],
  world: 'main',
  async run(target, judge) {
    const credential = await readCredential(target)
    const read = (limit: string) => requestParsed(target, { path: '/swaps', query: { limit }, credential })
    const [one, full] = [await read('1'), await read('100')]
    judgePage(judge, { rule: 'paging.swaps.accepts-1', reply: one, limit: 1 })
    judgePage(judge, { rule: 'paging.swaps.accepts-100', reply: full, limit: 100 })
    for (const { rule, limits, isPage } of BEYOND) {
      const replies: Reply[] = []
      for (const limit of limits) replies.push(await read(limit))
      judgeBeyond(judge, { rule, full, replies, isPage })
    }
  },
}

/** Limits that are none, and which page may be served all the same: how they are turned down is not stated. */
const BEYOND: readonly Pick<Beyond, 'rule' | 'isPage' | 'limits'>[] = [
  { rule: 'paging.swaps.at-most-100', limits: ['101', '1000'], isPage: (rows) => rows <= 100 },
  {
    rule: 'paging.swaps.at-least-1',
    limits: ['0', '-1', '-10'],
    // Without a swap to serve, every page is empty.
    isPage: (rows, total) => rows <= 100 && (rows > 0 || total === 0),
  },
]

async function judgeWindows(target: Target, judge: Judge): Promise<void> {
  const refused: string[] = []
  for (const window of WINDOWS) {
    const reply = await requestParsed(target, { path: PATH, query: { window } })
    if (reply.status !== 200) refused.push(reply.evidence())
  }
  const seen = `${WINDOWS.length - refused.length} of ${WINDOWS.length} windows answered with 200`
  judge.that('paging.explore.window-accepted', refused.length === 0, seen, refused)
}

async function judgeSpellings(target: Target, judge: Judge): Promise<void> {
  const rule = 'paging.limit.canonical'
  const spellings = target.profile.choices.explorePools.refuses
  const taken: string[] = []
  for (const spelling of spellings) {
    for (const name of ['limit', 'offset']) {
      const reply = await requestParsed(target, { path: PATH, query: { [name]: spelling } })
      if (reply.status !== 400) taken.push(reply.evidence())
    }
  }
  if (spellings.length === 0) judge.skip(rule, 'the profile names no spelling', 'choice')
  else judge.that(rule, taken.length === 0, `${taken.length} spellings not refused with 400`, taken)
}

function judgePage(
  judge: Judge,
  { rule, reply, limit }: { rule: string; reply: Reply; limit: number },
): void {
  const rows = pickRows(reply.json, 'data')?.length
  const seen = `${reply.status} with ${rows ?? 'no'} rows`
  if (reply.status === 200 && rows === undefined) judge.inconclusive(rule, seen, [reply.evidence()])
  else judge.that(rule, reply.status === 200 && Number(rows) <= limit, seen, [reply.evidence()])
}

type Beyond = {
  rule: string
  limits: readonly string[]
  full: Reply
  replies: readonly Reply[]
  isPage: (rows: number, total: number) => boolean
}

/** A refusal counts only where a page of 100 is served to the same credential. */
function judgeBeyond(judge: Judge, { rule, full, replies, isPage }: Omit<Beyond, 'limits'>): void {
  const pages = replies.map((reply) => ({
    reply,
    rows: isSuccess(reply) ? pickRows(reply.json, 'data')?.length : undefined,
  }))
  const seen = pages
    .map(({ reply, rows }) => (rows === undefined ? `${reply.status}` : `${rows} rows`))
    .join(', ')
  const wrong = pages.filter(
    ({ reply, rows }) => rows !== undefined && !isPage(rows, readTotal(reply.json) ?? 0),
  )
  const isClear = ({ reply, rows }: (typeof pages)[number]) =>
    rows !== undefined || (isRefusal(reply) && reply.status !== 401 && reply.status !== 403)
  const evidence = evidenceOf([full, ...replies])
  if (wrong.length > 0) judge.fail(rule, seen, evidenceOf(wrong.map(({ reply }) => reply)))
  else if (full.status === 200 && pages.every(isClear)) judge.pass(rule, seen, evidence)
  else judge.inconclusive(rule, `limit=100 answered ${full.status}, the others ${seen}`, evidence)
}

function evidenceOf(replies: readonly Reply[]): string[] {
  return replies.map((reply) => reply.evidence())
}
