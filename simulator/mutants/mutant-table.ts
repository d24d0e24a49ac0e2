import type { Deviation, DeviationRequest } from './deviation.ts'
import type { Fields } from './reactions.ts'

/** The breakage in words, every rule that reports it, and the deviation that causes it. */
export type DeviationTable = Readonly<
  Record<string, { breaks: string; rules: readonly string[]; deviates: Deviation }>
>

/**
 * Matches responses to a search that finds a row by one of these fields, in full and in any case. Without fields: by
 * something that a row of /explore/pools does not show, which is a token address.
 */
export function isFoundBy(fields: readonly string[]) {
  return ({ query, body }: DeviationRequest): boolean => {
    const found = (body?.data ?? []) as Fields[] // as: the stub's rows
    const text = query.get('search')?.toLowerCase() ?? ''
    if (text === '' || found.length === 0) return false
    if (fields.length > 0)
      return found.some((row) => fields.some((field) => String(row[field]).toLowerCase() === text))
    return !found.some((row) =>
      Object.values(row).some((value) => String(value).toLowerCase().includes(text)),
    )
  }
}
