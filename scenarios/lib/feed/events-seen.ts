import { pickText } from '../pick.ts'

type Message = { type?: string; json: unknown; text: string }

/**
 * Names of fields that hold exact financial values, whatever else an event tells. Compared without case and underscores;
 * `volume_usd` and `amount0` count by what stands before their unit or number.
 */
const EXACT = ['price', 'amount', 'volume', 'liquidity', 'balance', 'tvl']
const UNITS = /(usd|in|out|0|1)$/

/** Whether a field is financial beyond doubt: a name that says so, in any spelling. */
export function isExactName(name: string): boolean {
  const plain = name.replaceAll('_', '').toLowerCase()
  return EXACT.includes(plain.replace(UNITS, ''))
}

/** The fields of an event that are financial, as paths, by how they are written. Other JSON types tell nothing. */
export function exactFields(value: unknown, path = ''): { texts: string[]; numbers: string[] } {
  const found = { texts: [] as string[], numbers: [] as string[] }
  if (typeof value !== 'object' || value === null) return found
  for (const [name, inner] of Object.entries(value)) {
    const here = path === '' ? name : `${path}.${name}`
    if (isExactName(name) && typeof inner === 'number') found.numbers.push(here)
    if (isExactName(name) && typeof inner === 'string') found.texts.push(here)
    const deeper = exactFields(inner, here)
    found.texts.push(...deeper.texts)
    found.numbers.push(...deeper.numbers)
  }
  return found
}

/**
 * Messages that came before, word for word and with the same id: without an id, two alike may be two. Those without one
 * are left out.
 */
export function repeats<Kind extends Message>(messages: readonly Kind[], idPath: string | null): Kind[] {
  const seen = new Set<string>()
  return messages.filter((message) => {
    if (pickText(message.json, idPath) === undefined) return false
    if (seen.has(message.text)) return true
    seen.add(message.text)
    return false
  })
}
