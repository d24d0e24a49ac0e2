import { clearInterval, setInterval } from 'k6/timers'
import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { caseMs, EXCHANGE, tell, telling } from '../story/timeline.ts'
import { callControl } from '../time/call-control.ts'
import { hasControl } from '../time/has-control.ts'

type Row = Record<string, unknown>

/** A list of the control API whose rows are numbered: what of it is asked for is what came since. */
type NewsList = { path: string; rows: string; lastNumber: number; isThere: boolean }

const journal: NewsList = { path: '/journal?kind=fault&', rows: 'entries', lastNumber: 0, isThere: true }
const findings: NewsList = { path: '/findings?', rows: 'findings', lastNumber: 0, isThere: true }
const PAGE = 1000

let underWay: Promise<void> = Promise.resolve()

/** Tells the timeline what the stub alone knows: which injected faults acted, and what its observer found. One look at a time. */
export function tellNews(target: Target): Promise<void> {
  if (!telling || !hasControl(target)) return Promise.resolve()
  underWay = underWay.then(() => look(target))
  return underWay
}

async function look(target: Target): Promise<void> {
  for (const { acts, fault, on, atMs } of await readNew(target, journal)) {
    const at = { atMs: Number(atMs) - zeroMs }
    if (acts === true) tell({ actor: EXCHANGE }, 'fault', `${fault} acts on ${on}`, at)
  }
  for (const { rule, client, observed, advice, atMs } of await readNew(target, findings)) {
    const text = [`${client}: ${observed}`, ...(typeof advice === 'string' ? [advice] : [])].join('; ')
    tell({ actor: EXCHANGE }, 'finding', text, {
      rule: String(rule),
      atMs: Number(atMs) - zeroMs,
    })
  }
}

const LOOK_MS = 500

/** Tells them as they come, where time goes by itself. */
export function followNews(target: Target): { stop(): void } {
  const timer = setInterval(() => void tellNews(target), LOOK_MS)
  return { stop: () => clearInterval(timer) }
}

/** Milliseconds since the epoch on the target’s clock when the case began. */
let zeroMs = 0

/** From here on there is news: what was there before the case began is none of its story. */
export async function beginNews(target: Target): Promise<void> {
  if (!hasControl(target)) return
  const body = JSON.stringify({ ms: 0 })
  const clock = await callControl(target, { method: 'POST', path: '/clock/advance', body })
  zeroMs = Number(pickText(clock, 'nowMs')) - caseMs()
  await readNew(target, journal)
  await readNew(target, findings)
}

/** What came since the last look, however much it is. A control API that has no such list tells no news. */
async function readNew(target: Target, list: NewsList): Promise<Row[]> {
  const news: Row[] = []
  while (list.isThere) {
    const path = `${list.path}after=${list.lastNumber}&limit=${PAGE}`
    const page = await callControl(target, { method: 'GET', path }).catch(() => undefined)
    const rows = pickRows(page, list.rows)
    list.isThere = rows !== undefined
    for (const row of rows ?? []) {
      list.lastNumber = Number(pickText(row, 'number') ?? list.lastNumber)
      news.push(row)
    }
    if (rows === undefined || rows.length < PAGE) break
  }
  return news
}
