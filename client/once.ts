/** Work that many ask for at once, and that is done once: whoever asks while it is under way waits for the same outcome. */
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
 * Work that is asked for again and again, as by events: one run at a time, and one more where it was asked for meanwhile,
 * told all that was asked. A storm of events makes no storm of work.
 */
export function coalesce<Ask>(work: (asked: readonly Ask[]) => Promise<void>): (asked: Ask) => void {
  let waiting: Ask[] = []
  let isUnderWay = false
  const run = async () => {
    isUnderWay = true
    try {
      while (waiting.length > 0) {
        const asked = waiting
        waiting = []
        await work(asked)
      }
    } finally {
      isUnderWay = false
    }
  }
  return (asked) => {
    waiting.push(asked)
    if (!isUnderWay) void run()
  }
}

/** What a client knows of the revisions that events announce. */
export type Revisions = {
  /** Of an event, which is an invalidation and not the configuration: that is read, once for all that came meanwhile. */
  hear(revision: bigint): void
  /** As `hear`, of a configuration that has been read already. */
  learn(revision: bigint): void
  /** The highest; 0 before the first. */
  announced(): bigint
  /** Guidance from before a change that was announced is not to be used. */
  isStale(revision: bigint | undefined): boolean
}

/** Nothing announced yet; `read` gets the newest revision that was, one reading at a time. */
export function createRevisions(read: (minimum: bigint) => Promise<void>): Revisions {
  let announced = 0n
  const readLatest = coalesce<bigint>(() => read(announced))
  return {
    hear(revision) {
      // Repeated, or late: what is known is newer.
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
