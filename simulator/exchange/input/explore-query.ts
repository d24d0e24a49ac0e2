import { z } from 'zod'
import type { Choices } from '../../choices/choices.ts'
import type { ExploreSort } from '../../indexer/views/explore-views.ts'
import { pageSchema } from './canonical.ts'
import { textSchema } from './text.ts'

const WINDOWS = ['1h', '1d', '1w', '1m'] as const

/** The window of a query, with the default of the choices. */
export function windowSchema({ explorePools }: Choices) {
  return z
    .enum(WINDOWS)
    .default(explorePools.windowDefault)
    .describe('What figures are of: an hour to a month')
}

/** A text to search for, no longer than the choices allow. */
export function searchSchema({ explorePools }: Choices) {
  return textSchema({ max: explorePools.searchLengthMax })
}

/** A key, an id or an address as it is shown; all else is looked for as it comes. */
export function searchText(text: string | undefined, { wire }: Choices): string | undefined {
  if (!text) return undefined
  const meanings = [wire.poolKey, wire.tokenId, wire.address].map(({ decode }) => decode(text))
  return meanings.find((meaning) => meaning !== undefined && meaning !== text) ?? text
}

/** The query of an explore list: pools and tokens have the same, but for the bounds of `limit`. */
export function exploreQuerySchema(choices: Choices, page?: Parameters<typeof pageSchema>[1]) {
  const { sorts, sortDefault, orderDefault } = choices.explorePools
  return pageSchema(choices, page).extend({
    window: windowSchema(choices),
    sort: z
      .enum(Object.keys(sorts))
      .default(sortDefault)
      .transform((name) => sorts[name] as ExploreSort) // as: one of its keys
      .describe('The figure that rows are sorted by'),
    order: z.enum(['asc', 'desc']).default(orderDefault).describe('The lowest first, or the highest'),
    search: searchSchema(choices)
      .optional()
      .describe('Matches symbol, name, address and key or id, whatever the case'),
  })
}
