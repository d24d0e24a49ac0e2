/** Whether the exchange takes requests: not before its world runs, and not while it closes. */
export type Readiness = 'starting' | 'ready' | 'closing'

export const NOT_READY_BECAUSE: Record<Exclude<Readiness, 'ready'>, string> = {
  starting: 'its world does not run yet',
  closing: 'it is closing',
}
