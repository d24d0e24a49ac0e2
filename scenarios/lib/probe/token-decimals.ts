import { pick, pickText } from '../pick.ts'

type Row = Record<string, unknown>

/** The values of fields named `…_info` at any depth. */
export function listInfos(body: unknown): unknown[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, value]) =>
    name.endsWith('_info') ? [value] : listInfos(value),
  )
}

/**
 * Describes token infos with other decimals than the explore rows of the same token id. Explore rows that contradict each other prove
 * nothing, and it is open which token comes first in rows with `displayFlipped`.
 */
export function findOtherDecimals(infos: readonly unknown[], explore: readonly Row[]): string | undefined {
  const known = new Map<string, Set<number>>()
  for (const row of explore.filter(({ displayFlipped }) => displayFlipped === false))
    for (const side of ['token0', 'token1']) {
      const [id, decimals] = [row[side], row[`${side}Decimals`]]
      if (typeof id !== 'string' || typeof decimals !== 'number') continue
      known.set(id, (known.get(id) ?? new Set()).add(decimals))
    }
  const isOther = (info: unknown) => {
    const [decimals, ...others] = known.get(pickText(info, 'id') ?? '') ?? []
    const shown = pick(info, 'decimals')
    return decimals !== undefined && others.length === 0 && typeof shown === 'number' && shown !== decimals
  }
  return infos.some(isOther)
    ? 'a token info has other decimals than the explore rows of its token'
    : undefined
}
