import { coalesce } from './coalesce.ts'

/** What a client knows of the revisions that events announce. */
export type Revisions = {
  /** Of an event, which is an invalidation and not the configuration: that is read, once for all that came meanwhile. */
  hear(revision: bigint): void
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
    announced: () => announced,
    isStale: (revision) => revision !== undefined && revision < announced,
  }
}
