import type { Conduct } from './conduct.ts'
import type { Exchange, Quote, QuoteAsked } from './exchange.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** A quote that is too old again and again means that the exchange cannot route by its newest configuration yet. */
const REQUOTES_MAX = 5

export type Quotes = {
  /** Keeps it up to date from now on. undefined where there is no route that is not out of date. */
  ask(asked: QuoteAsked): Promise<Quote | undefined>
  /** Those that may be used: none is older than a revision that the feed has told of. */
  current(): Quote[]
  /** ProtocolConfigChanged tells that something has changed, not to what. */
  configChanged(revision: number): Promise<void>
  /** Asks for the configuration and for all quotes anew. */
  refetch(): Promise<void>
}

/** No quote kept, and no revision heard of yet. */
export function createQuotes(options: { exchange: Exchange; conduct: Conduct }): Quotes {
  const { exchange, conduct } = options
  const kept = new Map<string, { asked: QuoteAsked; quote: Quote | undefined }>()
  /** The newest that anybody has told of. */
  let revision = 0
  /** The newest that REST is known to have. */
  let reached = 0

  const isUsable = (quote: Quote) => !conduct.isStale(quote, revision)
  const ask = async (asked: QuoteAsked) => {
    let quote = await exchange.quote(asked)
    for (let again = 0; quote && !isUsable(quote) && again < REQUOTES_MAX; again++) {
      await exchange.revision(revision)
      quote = await exchange.quote(asked)
    }
    const usable = quote && isUsable(quote) ? quote : undefined
    kept.set(JSON.stringify(asked), { asked, quote: usable })
    return usable
  }
  const askAll = () => Promise.all([...kept.values()].map(({ asked }) => ask(asked)))
  const askThoseOutOfDate = () =>
    Promise.all([...kept.values()].map(({ asked, quote }) => (quote && isUsable(quote) ? quote : ask(asked))))
  const catchUp = oneAtATime(async () => {
    while (reached < revision) {
      const wanted = revision
      await exchange.revision(wanted)
      reached = wanted
      await askThoseOutOfDate()
    }
  })

  return {
    ask,
    current: () => [...kept.values()].flatMap(({ quote }) => (quote && isUsable(quote) ? [quote] : [])),
    configChanged(told) {
      revision = Math.max(revision, told)
      return catchUp()
    },
    async refetch() {
      const told = await exchange.revision(revision)
      revision = Math.max(revision, told)
      await askAll()
    },
  }
}
