import type { Target } from '../../contract/scenario-config.ts'
import { judgeErrors } from '../lib/market/judge-errors.ts'
import { findLowTotal } from '../lib/market/low-total.ts'
import { chooseSubjects, type SearchSubject, searchSubjects, tradesToken } from '../lib/market/rows.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm, confirmMissing } from '../lib/requests/confirm.ts'
import { mustBeServed } from '../lib/requests/must-be-served.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { isMissingIn, readTotal, walkPages } from '../lib/requests/walk.ts'
import { byItself, CannotJudge, type Judge, NotServed } from '../lib/verdict/judge.ts'

type Row = Record<string, unknown>
type Parameters = Record<string, string>

const PATH = '/explore/pools'
/** Limit of rows to page through in search of one. */
const RESULTS_MAX = 500
const SUBJECTS = 2
/** Rows at the end of the list: a search may look only at the first ones. */
const LAST_ROWS = 5
const SINGLES_MAX = 5
/** Rows of a search to compare with its total. */
const COUNTED_MAX = 100
/** As long as a short key; no symbol, name, address or key contains it. */
const NO_MATCH = 'q7zx1vkw9jq4xz8kvj2w'
/** Texts that end a literal or a pattern of a query language, and one that a database may not store. The specification does not say what they find. */
const UNUSUAL = ["'", '\\', '(', '\u0000']

export const searchByKey: Probe = {
  rules: ['paging.explore.search'],
  world: 'main',
  async run(target, judge) {
    const rule = 'paging.explore.search'
    const page = await requestParsed(target, { path: PATH, query: { limit: '10' } })
    const keys = listKeys(page.json)
    const all = readTotal(page.json)
    const end = { limit: String(LAST_ROWS), offset: String(Math.max(0, (all ?? 0) - LAST_ROWS)) }
    const late = listKeys((await requestParsed(target, { path: PATH, query: end })).json)
    const first = await firstThatReads(target, keys)
    // Not the last row, which may be too new for a search.
    const last = await firstThatReads(target, [...late, ...keys.toReversed()])
    if (first === undefined || last === undefined)
      throw new CannotJudge(`no pool can be read by its key: ${page.evidence()}`)
    await byItself(judge, rule, async () => {
      for (const { key, others } of [
        ...[first, last, first].map((key) => ({ key, others: {} })),
        { key: first, others: { window: '1d', order: 'asc' } },
      ])
        if (!(await judgeKey(target, judge, { rule, key, all, others }))) return
      for (const sort of Object.keys(target.profile.choices.explorePools.sort))
        if (!(await unlessNoSort(judgeKey(target, judge, { rule, key: first, all, others: { sort } }))))
          return
      if (!(await judgeSingle(target, judge, { rule, key: last }))) return
      await judgeNotAll(target, judge, { rule, text: NO_MATCH, isMatch: () => false })
      await judgeErrors(target, judge, { rule, path: PATH, queries: UNUSUAL.map((search) => ({ search })) })
      judge.pass(rule, `found by their keys, among ${all} pools`)
    })
  },
}

function listKeys(json: unknown): string[] {
  return (pickRows(json, 'data') ?? []).flatMap((row) => pickText(row, 'key') ?? [])
}

/** Skips keys that do not read their pool: another rule covers those. */
async function firstThatReads(target: Target, keys: readonly string[]): Promise<string | undefined> {
  for (const key of keys) {
    const path = `/pools/${encodeURIComponent(key)}`
    if ((await requestParsed(target, { path, route: '/pools/{key}' })).status === 200) return key
  }
  return undefined
}

/** The target may not have a sort of the profile: then it serves no list under it, and a search under it proves nothing. */
async function unlessNoSort(judged: Promise<boolean>): Promise<boolean> {
  return judged.catch((error: unknown) => {
    if (error instanceof NotServed || !(error instanceof CannotJudge)) throw error
    return true
  })
}

async function judgeKey(
  target: Target,
  judge: Judge,
  { rule, key, all, others }: { rule: string; key: string; all: number | undefined; others: Parameters },
): Promise<boolean> {
  const hasKey = (row: Row) => row.key === key
  const query = { ...others, limit: '50' }
  const searched = { path: PATH, query: { ...query, search: key } }
  const reply = await mustBeServed(target, searched, { path: PATH, query })
  const rows = pickRows(reply.json, 'data')
  if (!rows) throw new CannotJudge(`no page to check: ${reply.evidence()}`)
  const evidence = [reply.evidence()]
  if (!rows.some(hasKey)) {
    const { state, explanation } = await confirmMissing({
      check: () => search(target, { ...others, search: key }, hasKey),
      isListed: () => isListed(target, hasKey),
    })
    if (state === 'missing') judge.fail(rule, `not found by its key: ${explanation}`, evidence)
    else judge.inconclusive(rule, `not found by its key at first: ${state} ${explanation}`, evidence)
    return false
  }
  const matching = readTotal(reply.json)
  if (all === undefined || matching === undefined) judge.inconclusive(rule, 'the page has no total', evidence)
  else if (all < 2) judge.inconclusive(rule, 'too few pools to tell a search from a plain list', evidence)
  else if (matching === all)
    judge.fail(
      rule,
      `a search for the key of a pool matches all ${all} pools, as the list without it`,
      evidence,
    )
  else return true
  return false
}

/**
 * A page of one row has the only pool that a search finds: it may have been cut before the search. With several, their order is
 * open.
 */
async function judgeSingle(
  target: Target,
  judge: Judge,
  { rule, key }: { rule: string; key: string },
): Promise<boolean> {
  const hasKey = (row: Row) => row.key === key
  const { state, explanation } = await confirmMissing({
    check: () => search(target, { search: key }, hasKey, { limit: 1, rowsMax: SINGLES_MAX }),
    isListed: async () => {
      const list = { path: PATH, limit: 50, query: { search: key }, rowsMax: SINGLES_MAX, pagesMax: 1 }
      const { rows } = await walkPages(target, list)
      return rows.length === 1 && rows.every(hasKey)
    },
  })
  if (state === 'missing') judge.fail(rule, `not found by its key with limit=1: ${explanation}`)
  return state !== 'missing'
}

/** A search that some pools do not match is served, and does not find all pools. A tolerant search may find some of them. */
async function judgeNotAll(
  target: Target,
  judge: Judge,
  {
    rule,
    text,
    isMatch,
    offset = '0',
  }: { rule: string; text: string; isMatch: (row: Row) => boolean; offset?: string },
): Promise<void> {
  const query = { limit: '50', ...(offset !== '0' && { offset }) }
  const list = { path: PATH, query }
  const readBoth = async () => {
    const reply = await mustBeServed(target, { path: PATH, query: { ...query, search: text } }, list)
    return { reply, all: readTotal((await requestParsed(target, list)).json) }
  }
  const { outcome, last, explanation } = await confirm({
    first: await readBoth(),
    describeError: ({ reply: { json }, all = 0 }) => {
      const hasOthers = pickRows(json, 'data')?.every(isMatch) === false
      return hasOthers && all > 1 && readTotal(json) === all ? 'all pools' : undefined
    },
    again: readBoth,
    witness: async () => ({ served: true, explanation: `${PATH} is served` }),
  })
  if (outcome === 'gone') return
  const seen = `a search for ${JSON.stringify(text)} at offset ${offset}: ${explanation}`
  judge[outcome === 'persistent' ? 'fail' : 'inconclusive'](rule, seen, [last.reply.evidence()])
}

export const searchByText: Probe = {
  rules: ['paging.explore.search-symbol', 'paging.explore.search-name', 'paging.explore.search-address'],
  world: 'main',
  async run(target, judge) {
    const rows = await readRows(target)
    const addresses = await tokenAddresses(target)
    const find = (rule: string, subjects: readonly SearchSubject[]) =>
      byItself(judge, rule, () => judgeSearch(target, judge, { rule, rows, all: subjects }))
    for (const field of ['Symbol', 'Name'] as const)
      await find(`paging.explore.search-${field.toLowerCase()}`, searchSubjects(rows, field))
    const { list, id, address } = target.profile.choices.tokens
    const [missing] = Object.entries({ list, id, address }).find(([, choice]) => choice === null) ?? []
    if (missing !== undefined)
      judge.skip(
        'paging.explore.search-address',
        `the profile does not state choices.tokens.${missing}, so no token address is known`,
        'choice',
      )
    const traded = addresses.filter(({ token }) => rows.some((row) => tradesToken(row, token)))
    await find('paging.explore.search-address', traded)
  },
}

async function readRows(target: Target): Promise<Row[]> {
  const reply = await requestParsed(target, { path: PATH, query: { limit: '50' } })
  const rows = pickRows(reply.json, 'data') ?? []
  if (rows.length === 0) throw new CannotJudge(`no pool to search for: ${reply.evidence()}`)
  return rows
}

async function judgeSearch(
  target: Target,
  judge: Judge,
  { rule, rows, all }: { rule: string; rows: readonly Row[]; all: readonly SearchSubject[] },
): Promise<void> {
  const subjects = chooseSubjects(rows, all, SUBJECTS)
  if (subjects.length === 0) {
    judge.inconclusive(rule, 'no plain ASCII text to search for')
    return
  }
  for (const { text, token } of subjects) {
    const trades = (row: Row) => tradesToken(row, token)
    const isMatch = matches({ text, token })
    const { state, explanation } = await confirmMissing({
      check: () => search(target, { search: text }, trades),
      isListed: () => isListed(target, trades),
    })
    const searched = JSON.stringify(text)
    if (state === 'missing') {
      judge.fail(rule, `a search for ${searched} does not find a pool of its token ${token}: ${explanation}`)
      return
    }
    if (state !== 'found') {
      const why =
        state === 'unclear' ? `not found at first: ${explanation}` : `not among the first ${RESULTS_MAX} rows`
      judge.inconclusive(rule, `a search for ${searched}: ${why}`)
      return
    }
    const searchOf = { path: PATH, limit: 50, query: { search: text }, rowsMax: COUNTED_MAX }
    const low = await findLowTotal(target, { ...searchOf, id: 'key' })
    if (low !== undefined) {
      judge.fail(rule, `a search for ${searched}: ${low.problem}`, low.evidence)
      return
    }
    if (!rows.every(isMatch)) await judgeNotAll(target, judge, { rule, text, isMatch })
  }
  // A search may be lost on later pages.
  for (const subject of all) {
    const isMatch = matches(subject)
    const found = rows.filter(isMatch).length
    if (found < 2 || found === rows.length) continue
    await judgeNotAll(target, judge, { rule, text: subject.text, isMatch, offset: '1' })
    break
  }
  judge.pass(rule, `found by ${subjects.map(({ text }) => JSON.stringify(text)).join(', ')}`)
}

async function search(
  target: Target,
  query: Parameters,
  until: (row: Row) => boolean,
  { limit = 50, rowsMax = RESULTS_MAX } = {},
) {
  const list = { path: PATH, limit, query, rowsMax, until }
  const walk = await walkPages(target, list)
  if (walk.rows.some(until)) return 'found'
  return isMissingIn(walk, list) ? 'missing' : 'too many'
}

function matches({ text, token }: SearchSubject): (row: Row) => boolean {
  return (row) => tradesToken(row, token) || mentions(row, text)
}

function mentions(row: Row, text: string): boolean {
  return JSON.stringify(row).toLowerCase().includes(text.toLowerCase())
}

async function isListed(target: Target, until: (row: Row) => boolean): Promise<boolean> {
  const walk = await walkPages(target, { path: PATH, limit: 50, rowsMax: RESULTS_MAX, until })
  return walk.rows.some(until)
}

async function tokenAddresses(target: Target): Promise<SearchSubject[]> {
  const { list, id, address } = target.profile.choices.tokens
  const registry = await requestParsed(target, { path: '/tokens' })
  return (pickRows(registry.json, list) ?? []).flatMap((row) => {
    const [token, text] = [pickText(row, id), pickText(row, address)]
    return token === undefined || text === undefined || text === '' ? [] : [{ text, token }]
  })
}
