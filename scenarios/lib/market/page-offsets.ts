import type { Target } from '../../../contract/scenario-config.ts'
import { pick, pickRows, pickText } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import { type Credential, isError, type Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { readTotal } from '../requests/walk.ts'
import type { Judge } from '../verdict/judge.ts'
import { searchSubjects } from './rows.ts'

type List = { path: string; query?: Record<string, string> }
type Problem = { problem: string; evidence: string[] }

const LIMITS = [1, 2, 3, 4, 5]

/** Finds a page with more rows than its limit. A page that is rejected, or raised to a least size, is not judged. */
export async function findLargePage(target: Target, list: List): Promise<Problem | undefined> {
  for (const limit of LIMITS) {
    const reply = await readFirst(target, list, limit)
    const rows = reply.status === 200 ? (pickRows(reply.json, 'data')?.length ?? 0) : 0
    if (rows <= limit) continue
    if (await isRaised(target, list, reply)) return undefined
    return { problem: `${rows} rows with limit=${limit}`, evidence: [reply.evidence()] }
  }
  return undefined
}

/** The page states a larger limit, its least: one more returns one row more. */
async function isRaised(target: Target, list: List, { json }: Reply): Promise<boolean> {
  const stated = pick(json, 'pagination.limit')
  if (typeof stated !== 'number' || stated !== pickRows(json, 'data')?.length) return false
  const larger = await readFirst(target, list, stated + 1)
  return pickRows(larger.json, 'data')?.length === stated + 1
}

function readFirst(target: Target, { path, query }: List, limit: number): Promise<Reply> {
  return requestParsed(target, { path, query: { ...query, limit: String(limit) } })
}

/**
 * Finds an offset that is rounded to a multiple of the limit: with limit=2, offset 1 has the two rows of offset 0, and
 * offset 2 others, four times. The list may have any order, and may grow.
 */
export async function findRoundedOffset(target: Target, list: List): Promise<Problem | undefined> {
  const { outcome, last, explanation } = await confirm({
    first: await readSteps(target, list),
    describeError: ({ pages }) => (isRounded(pages) ? 'offset 1 has the rows of offset 0' : undefined),
    again: () => readSteps(target, list),
    witness: async () => ({ served: true, explanation: `${list.path} is served` }),
  })
  return outcome === 'persistent' ? { problem: explanation, evidence: last.evidence } : undefined
}

type Steps = { pages: string[][]; evidence: string[] }

/** A list that grows between the reads, or whose replicas differ, is read again. */
const STEADY_TRIES = 4

async function readSteps(target: Target, { path, query }: List): Promise<Steps> {
  const listKeys = (json: unknown) => (pickRows(json, 'data') ?? []).map((row) => pickText(row, 'key') ?? '')
  for (let tries = 1; ; tries++) {
    const replies = []
    for (const offset of ['0', '1', '2', '0'])
      replies.push(await requestParsed(target, { path, query: { ...query, limit: '2', offset } }))
    const pages = replies.map(({ status, json }) => (status === 200 ? listKeys(json) : []))
    const [first, last] = [pages[0], pages.pop()].map((page) => page?.join('\n'))
    if (first === last || tries === STEADY_TRIES)
      return { pages, evidence: replies.slice(0, -1).map((reply) => reply.evidence()) }
  }
}

/** @param pages the keys at the offsets 0, 1 and 2, with a limit of 2 */
export function isRounded(pages: readonly (readonly string[])[]): boolean {
  const [first = [], second = [], third = []] = pages
  const isWhole = first.length === 2 && new Set(first).size === 2 && !first.includes('')
  const isOther = third.length > 0 && third.every((key) => !first.includes(key))
  return isWhole && isOther && second.join('\n') === first.join('\n')
}

const PATH = '/explore/pools'
/** Texts to try, since a search may be exact: those of most pools. */
const TEXTS_MAX = 3
/** Several, since rows with equal ranks may change places between requests. */
const OFFSETS = ['0', '1', '2', '3']

type Query = Record<string, string>

/**
 * Finds a search that ignores the offset: pages of one row at the offsets 0 to 3 have the same row, four times, although four or
 * more rows match.
 *
 * @param sorted a stable sort, so that rows do not move between the reads
 */
export async function findRepeatedPage(
  target: Target,
  sorted: Query,
): Promise<{ problem: string; evidence: string[] } | undefined> {
  const { json } = await requestParsed(target, { path: PATH, query: { limit: '50' } })
  const subjects = searchSubjects(pickRows(json, 'data') ?? [], 'Symbol')
  for (const { text } of subjects.slice(-TEXTS_MAX).reverse()) {
    const query = { ...sorted, search: text, limit: '1' }
    const first = await readEach(target, query)
    const { outcome, last, explanation } = await confirm({
      first,
      describeError: (pages) => (isRepeated(pages) ? 'four offsets have the same row' : undefined),
      again: () => readEach(target, query),
      witness: async () => ({ served: true, explanation: `${PATH} is served` }),
    })
    if (outcome === 'persistent')
      return {
        problem: `a search for ${JSON.stringify(text)}: ${explanation}`,
        evidence: last.map((page) => page.evidence()),
      }
    if (first.some((page) => isOfMany(page))) return undefined
  }
  return undefined
}

async function readEach(target: Target, query: Query): Promise<Reply[]> {
  const pages: Reply[] = []
  for (const offset of OFFSETS)
    pages.push(await requestParsed(target, { path: PATH, query: { ...query, offset } }))
  return pages
}

type Page = Pick<Reply, 'status' | 'json'>

/** @param pages those at the four offsets, with a limit of 1 */
export function isRepeated(pages: readonly Page[]): boolean {
  const keys = pages.flatMap(({ json }) => (pickRows(json, 'data') ?? []).map((row) => pickText(row, 'key')))
  return (
    pages.every(isOfMany) && keys.length === pages.length && keys[0] !== undefined && new Set(keys).size === 1
  )
}

function isOfMany({ status, json }: Page): boolean {
  return status === 200 && (readTotal(json) ?? 0) >= OFFSETS.length
}

const FAR_BEYOND = 1000
/** Beyond 32 bits, and the largest of 64 bits: the sum with a limit has more. */
export const LARGE_OFFSETS = ['3000000000', '9223372036854775807']
/** A server that counts off the rows of a longer list may take too long. */
const TOTAL_MAX = 20_000

export async function judgeFarOffset(
  target: Target,
  judge: Judge,
  { rule, ...list }: { rule: string; path: string; credential?: Credential },
): Promise<void> {
  const far = await findFarOffset(target, list)
  if (far !== undefined) judge.fail(rule, far.problem, far.evidence)
}

/**
 * Reads pages far past the end of a list, two of them at large offsets. Finds an error that persists, or rows that are said to be
 * past the end. Such an offset may be rejected, and may be clamped to one that exists. Leaves out long lists.
 */
export async function findFarOffset(
  target: Target,
  { path, credential }: { path: string; credential?: Credential },
): Promise<Problem | undefined> {
  const query = { limit: '10' }
  const total = readTotal((await requestParsed(target, { path, query, credential })).json)
  if (total === undefined || total > TOTAL_MAX) return undefined
  for (const offset of [String(total + FAR_BEYOND), ...LARGE_OFFSETS]) {
    const read = () => requestParsed(target, { path, query: { ...query, offset }, credential })
    const { outcome, last, explanation } = await confirm({
      first: await read(),
      describeError: describePage,
      again: read,
      witness: async () => {
        const { status } = await requestParsed(target, { path, query, credential })
        return { served: status === 200, explanation: `the first page -> ${status}` }
      },
    })
    if (outcome === 'persistent')
      return { problem: `at offset ${offset}: ${explanation}`, evidence: [last.evidence()] }
  }
  return undefined
}

function describePage(reply: Page): string | undefined {
  if (isError(reply)) return reply.status === 0 ? 'no response' : String(reply.status)
  return isPastEnd(reply) ? 'rows past the end' : undefined
}

/** The page has rows, although its own offset is at or past its own total. */
export function isPastEnd({ status, json }: Page): boolean {
  const [offset, total] = [pick(json, 'pagination.offset'), readTotal(json)]
  const rows = pickRows(json, 'data')?.length ?? 0
  return (
    status === 200 && rows > 0 && typeof offset === 'number' && total !== undefined && offset >= total + rows
  )
}
