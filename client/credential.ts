import type { Request } from './send.ts'

/** What shows the exchange who asks. */
export type Credential = {
  /** What goes with a request. Never into its address, where it would end up in logs. */
  headersFor(request: Request): Record<string, string>
  /** Another number whenever another credential has taken the place of the last. */
  version(): number
  /** Puts another in the place of the one of `refusedVersion`, which was refused with 401. Throws where there is none. */
  replace(refusedVersion: number): Promise<void>
}
