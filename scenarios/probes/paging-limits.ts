import type { Target } from '../../contract/scenario-config.ts'
import { withEachCredential } from '../lib/identity/credential.ts'
import { judgeErrors } from '../lib/market/judge-errors.ts'
import { pickRows } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isError, isSuccess, type Reply } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { readTotal } from '../lib/requests/walk.ts'
import type { Judge } from '../lib/verdict/judge.ts'

const PATH = '/explore/pools'

/** A list may be wrong for some sizes only. */
const SMALL = ['1', '2', '3', '4', '5']
const LARGE = ['50', '100']

/** null: no limit is sent. The API states no default, but it is a valid page size. */
const ACCEPTED = [
  ['paging.limit.accepts-1', SMALL],
  ['paging.limit.accepts-100', [...LARGE, null]],
] as const

/** Invalid limits: rejected with 400, like all invalid query parameters of this list. */
const REJECTED: readonly (readonly [rule: string, name: string, values: readonly string[]])[] = [
  ['paging.limit.rejects-0', 'limit', ['0']],
  // The large ones are 1 in 32 and in 64 bits.
  ['paging.limit.rejects-101', 'limit', ['101', '1000', '4294967297', '18446744073709551617']],
  ['paging.limit.rejects-text', 'limit', ['many', '1.5']],
  ['paging.limit.rejects-negative', 'limit', ['-1', '-10']],
  ['paging.offset.rejects-text', 'offset', ['start', '1.5']],
  ['paging.explore.rejects-window', 'window', ['never', '2h', '1y', '11h', '1hx', '24h', '7d', '30d']],
  ['paging.explore.rejects-order', 'order', ['sideways', 'ascending']],
]

/** Other invalid queries: which sorts there are is open, and so is what a target does with another. */
const ERRORS: Readonly<Record<string, readonly Record<string, string>[]>> = {
  'paging.explore.rejects-order': [{ sort: 'no_such_field' }],
}

const WINDOWS = ['1h', '1d', '1w', '1m']

export const pagingLimits: Probe = {
  rules: [
    ...ACCEPTED.map(([rule]) => rule),
    ...REJECTED.map(([rule]) => rule),
    'paging.explore.window-accepted',
    'paging.limit.canonical',
  ],
  world: 'main',
  async run(target, judge) {
    const read = (limit: string | null) =>
      requestParsed(target, { path: PATH, query: { ...(limit !== null && { limit }) } })
    for (const [rule, limits] of ACCEPTED) {
      const pages: SizedPage[] = []
      for (const limit of limits) pages.push(await readSizedPage(read, limit))
      judgePages(judge, rule, pages)
    }

    for (const [rule, name, values] of REJECTED) {
      const taken: Reply[] = []
      // Twice, the second time with more valid parameters.
      for (const good of [{}, { limit: '2', offset: '1', window: '1d', order: 'asc' }]) {
        for (const value of values) {
          const reply = await requestParsed(target, { path: PATH, query: { ...good, [name]: value } })
          if (reply.status !== 400) taken.push(reply)
        }
      }
      const seen = `${values.map((value) => `${name}=${value}`).join(', ')}: ${describeTaken(taken.length)}`
      if (taken.length === 0)
        await judgeErrors(target, judge, { rule, path: PATH, queries: ERRORS[rule] ?? [] })
      judge.that(rule, taken.length === 0, seen, listEvidence(taken))
    }
    await judgeWindows(target, judge)
    await judgeSpellings(target, judge)
  },
}

/** The page limits of /swaps. The specification does not say how an oversized page is rejected. */
export const swapLimits: Probe = {
  rules: [
    'paging.swaps.accepts-1',
    'paging.swaps.accepts-100',
    'paging.swaps.at-most-100',
    'paging.swaps.at-least-1',
  ],
  world: 'main',
  async run(target, judge) {
    const small: SizedPage[] = []
    const large: SizedPage[] = []
    const beyond = BEYOND.map((bound) => ({ ...bound, replies: [] as Reply[] }))
    const isServed = (pages: readonly SizedPage[]) => pages.every(({ reply }) => isSuccess(reply))
    await withEachCredential(target, async (credential) => {
      const read = (limit: string | null) =>
        requestParsed(target, { path: '/swaps', query: { ...(limit !== null && { limit }) }, credential })
      // One refused page decides; confirming more of them would take all the time there is.
      for (const limit of SMALL) if (isServed(small)) small.push(await readSizedPage(read, limit))
      for (const limit of LARGE) if (isServed(large)) large.push(await readSizedPage(read, limit))
      if (!isServed(large)) return
      for (const { limits, replies } of beyond)
        for (const limit of limits) if (!replies.some(isError)) replies.push(await read(limit))
    })
    judgePages(judge, 'paging.swaps.accepts-1', small)
    judgePages(judge, 'paging.swaps.accepts-100', large)
    const fulls = large.map(({ reply }) => reply)
    for (const { rule, isPage, replies } of beyond) judgeBeyond(judge, { rule, fulls, replies, isPage })
  },
}

/** Invalid limits, and which page may be served anyway: the API does not say how they are rejected. */
const BEYOND: readonly Pick<Beyond, 'rule' | 'isPage' | 'limits'>[] = [
  { rule: 'paging.swaps.at-most-100', limits: ['101', '1000', null], isPage: (rows) => rows <= 100 },
  {
    rule: 'paging.swaps.at-least-1',
    limits: ['0', '-1', '-10'],
    isPage: (rows, total) => rows <= 100 && (rows > 0 || total === 0),
  },
]

async function judgeWindows(target: Target, judge: Judge): Promise<void> {
  const refused: string[] = []
  const queries = [{}, { limit: '5', offset: '5', order: 'desc' }].flatMap((others) =>
    WINDOWS.map((window) => ({ ...others, window })),
  )
  for (const query of queries) {
    const reply = await requestParsed(target, { path: PATH, query })
    if (reply.status !== 200) refused.push(reply.evidence())
  }
  const seen = `${queries.length - refused.length} of ${queries.length} reads with a window got 200`
  judge.that('paging.explore.window-accepted', refused.length === 0, seen, refused)
}

async function judgeSpellings(target: Target, judge: Judge): Promise<void> {
  const rule = 'paging.limit.canonical'
  const spellings = target.profile.choices.explorePools.rejects
  const taken: string[] = []
  for (const spelling of spellings) {
    for (const name of ['limit', 'offset']) {
      const reply = await requestParsed(target, { path: PATH, query: { [name]: spelling } })
      if (reply.status !== 400) taken.push(reply.evidence())
    }
  }
  if (spellings.length === 0) judge.skip(rule, 'the profile names no spelling', 'choice')
  else judge.that(rule, taken.length === 0, `${spellings.join(', ')}: ${describeTaken(taken.length)}`, taken)
}

function describeTaken(count: number): string {
  return count === 0 ? 'all rejected with 400' : `${count} responses were not 400`
}

function judgePages(judge: Judge, rule: string, pages: readonly SizedPage[]): void {
  const seen = pages.map(({ reply, rows }) => `${reply.status} with ${rows ?? 'no'} rows`).join(', ')
  const wrong = pages.filter(({ reply, size }) => reply.status !== 200 || size === 'more' || size === 'fewer')
  const evidence = listEvidence((wrong.length > 0 ? wrong : pages).map(({ reply }) => reply))
  if (wrong.length > 0) judge.fail(rule, seen, evidence)
  else if (pages.some(({ size }) => size === 'unclear')) judge.inconclusive(rule, seen, evidence)
  else judge.pass(rule, seen, evidence)
}

type Beyond = {
  rule: string
  limits: readonly (string | null)[]
  /** Large pages, served to the same credentials. */
  fulls: readonly Reply[]
  replies: readonly Reply[]
  isPage: (rows: number, total: number) => boolean
}

/** A rejection counts only if large pages are served to the same credential. An error that persists is no rejection. */
function judgeBeyond(judge: Judge, { rule, fulls, replies, isPage }: Omit<Beyond, 'limits'>): void {
  const pages = replies.map((reply) => ({
    reply,
    rows: isSuccess(reply) ? pickRows(reply.json, 'data')?.length : undefined,
  }))
  const seen = pages
    .map(({ reply, rows }) => (rows === undefined ? `${reply.status}` : `${rows} rows`))
    .join(', ')
  const wrong = pages.filter(
    ({ reply, rows }) => isError(reply) || (rows !== undefined && !isPage(rows, readTotal(reply.json) ?? 0)),
  )
  const isClear = ({ reply, rows }: (typeof pages)[number]) =>
    rows !== undefined || (isClientError(reply) && reply.status !== 401 && reply.status !== 403)
  const evidence = listEvidence([...fulls, ...replies])
  if (wrong.length > 0) judge.fail(rule, seen, listEvidence(wrong.map(({ reply }) => reply)))
  else if (fulls.every(isSuccess) && pages.every(isClear)) judge.pass(rule, seen, evidence)
  else {
    const statuses = fulls.map(({ status }) => status).join(', ')
    judge.inconclusive(
      rule,
      `${LARGE.map((limit) => `limit=${limit}`).join(', ')} responded ${statuses}, the others ${seen}`,
      evidence,
    )
  }
}

function listEvidence(replies: readonly Reply[]): string[] {
  return replies.map((reply) => reply.evidence())
}

/** Largest page of the lists with a stated page size. */
const PAGE_MAX = 100

/** A page from the beginning of a list. */
type SizedPage = {
  reply: Reply
  /** Undefined: `data` is no list. */
  rows: number | undefined
  /** `more` than the limit; `fewer` although the total of the same response counts enough rows. */
  size: 'right' | 'more' | 'fewer' | 'unclear'
}

/**
 * Reads a page and compares its rows with its limit and its own total. A list that grows, or a count that lags,
 * can make a page look short for a moment, so `fewer` is confirmed.
 *
 * @param limit null if none is sent: the default page size is not stated
 */
export async function readSizedPage(
  read: (limit: string | null) => Promise<Reply>,
  limit: string | null,
): Promise<SizedPage> {
  const most = limit === null ? PAGE_MAX : Number(limit)
  const least = limit === null ? 1 : Number(limit)
  const { outcome, last } = await confirm({
    first: await read(limit),
    describeError: ({ status, json }) =>
      status === 200 && comparePageSize(json, { least, most }) === 'fewer' ? 'fewer rows' : undefined,
    again: () => read(limit),
    witness: async () => ({ served: true, explanation: 'the list is served' }),
  })
  const rows = pickRows(last.json, 'data')?.length
  const size = comparePageSize(last.json, { least, most })
  return { reply: last, rows, size: size === 'fewer' && outcome !== 'persistent' ? 'unclear' : size }
}

/** Compares the rows of a first page with the rows that its limit and its total allow. */
export function comparePageSize(
  body: unknown,
  { least, most }: { least: number; most: number },
): 'right' | 'more' | 'fewer' | 'unclear' {
  const rows = pickRows(body, 'data')?.length
  if (rows === undefined) return 'unclear'
  if (rows > most) return 'more'
  return rows < Math.min(least, readTotal(body) ?? 0) ? 'fewer' : 'right'
}
