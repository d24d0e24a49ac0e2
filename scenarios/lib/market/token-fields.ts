import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import type { Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import type { Judge } from '../verdict/judge.ts'

type Row = Record<string, unknown>

const FIELDS = ['Name', 'Symbol', 'Decimals'] as const
type Field = (typeof FIELDS)[number]

/**
 * Fails the rule if an explore row gives a token the name, symbol or decimals of the row's other token, four times. Another
 * name alone may be a new one that some rows do not have yet.
 *
 * @param reply a page of /explore/pools
 */
export async function judgeTokenFields(
  target: Target,
  judge: Judge,
  { rule, query, reply }: { rule: string; query: Record<string, string>; reply: Reply },
): Promise<void> {
  const { outcome, last, explanation } = await confirm({
    first: reply,
    describeError: ({ json }) => findExchanged(pickRows(json, 'data') ?? []),
    again: () => requestParsed(target, { path: '/explore/pools', query }),
    witness: async () => ({ served: true, explanation: '/explore/pools is served' }),
  })
  if (outcome === 'persistent') judge.fail(rule, explanation, [last.evidence()])
}

/**
 * Describes the first field that is that of the row's other token, as other rows show. Which token comes first in rows with
 * `displayFlipped` is open.
 */
export function findExchanged(all: readonly Row[]): string | undefined {
  const rows = all.filter(({ displayFlipped }) => displayFlipped !== true)
  for (const field of FIELDS) {
    const sides = rows.flatMap((row) => readSides(row, field))
    const values = new Map<string, Set<string>>()
    for (const { token, value } of sides) values.set(token, (values.get(token) ?? new Set()).add(value))
    const isExchanged = ({ token, value, other, otherValue }: Side) => {
      const elsewhere = [...(values.get(token) ?? [])].filter((one) => one !== value)
      const isOfOther = values.get(other)?.has(value) === true
      return elsewhere.length > 0 && (isOfOther || elsewhere.includes(otherValue))
    }
    const found = sides.find(isExchanged)
    if (found !== undefined) return `a row has the ${field.toLowerCase()} of its other token`
  }
  return undefined
}

type Side = { token: string; value: string; other: string; otherValue: string }

/** Both sides of a row with two tokens and two values. */
function readSides(row: Row, field: Field): Side[] {
  const [token0, token1] = [pickText(row, 'token0'), pickText(row, 'token1')]
  const [value0, value1] = [pickText(row, `token0${field}`), pickText(row, `token1${field}`)]
  if (token0 === undefined || token1 === undefined || value0 === undefined || value1 === undefined) return []
  if (token0 === token1) return []
  return [
    { token: token0, value: value0, other: token1, otherValue: value1 },
    { token: token1, value: value1, other: token0, otherValue: value0 },
  ]
}
