/** Shares one run of the work among all callers that arrive while it is in progress. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | undefined
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

/**
 * Coalesces triggers such as events: one run at a time, and one more for all triggers during a run, which gets their
 * arguments. A storm of events causes no storm of work.
 */
export function coalesce<Trigger>(
  work: (triggers: readonly Trigger[]) => Promise<void>,
): (triggers: Trigger) => void {
  let waiting: Trigger[] = []
  let isUnderWay = false
  const run = async () => {
    isUnderWay = true
    try {
      while (waiting.length > 0) {
        const triggers = waiting
        waiting = []
        await work(triggers)
      }
    } finally {
      isUnderWay = false
    }
  }
  return (triggers) => {
    waiting.push(triggers)
    if (!isUnderWay) void run()
  }
}

export type Revisions = {
  /** From an event, which only invalidates: the configuration is read once for all events until then. */
  hear(revision: bigint): void
  /** From a configuration that was already read. */
  learn(revision: bigint): void
  /** The highest; 0 before the first. */
  announced(): bigint
  isStale(revision: bigint | undefined): boolean
}

/** `read` gets the newest announced revision; one read at a time. */
export function createRevisions(read: (minimum: bigint) => Promise<void>): Revisions {
  let announced = 0n
  const readLatest = coalesce<bigint>(() => read(announced))
  return {
    hear(revision) {
      // Repeated or late: a newer revision is known.
      if (revision <= announced) return
      announced = revision
      readLatest(revision)
    },
    learn(revision) {
      if (revision > announced) announced = revision
    },
    announced: () => announced,
    isStale: (revision) => revision !== undefined && revision < announced,
  }
}

/** A quote that is stale every time means that the exchange cannot route by its newest configuration yet. */
const QUOTES_MAX = 5

/** Requests a quote, and again while it is older than an announced revision. Undefined if it stays stale. */
export async function quoteUntilCurrent<Quote>(options: {
  quote: () => Promise<Quote>
  isStale: (quote: Quote) => boolean
  beforeAgain: (attempt: number) => Promise<unknown>
}): Promise<Quote | undefined> {
  const { quote, isStale, beforeAgain } = options
  for (let attempt = 0; attempt < QUOTES_MAX; attempt++) {
    if (attempt > 0) await beforeAgain(attempt)
    const quoted = await quote()
    if (!isStale(quoted)) return quoted
  }
  return undefined
}
