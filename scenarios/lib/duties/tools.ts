/** Time and chance, as a client of the kit gets them: those of k6 (k6-tools.ts), or a test's own. */
export type Tools = {
  nowMs(): number
  /** [0, 1). */
  random(): number
  pause(ms: number): Promise<void>
  /** Runs `fn` once; what it returns takes that back. */
  after(ms: number, fn: () => void): () => void
}
