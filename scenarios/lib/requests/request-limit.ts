import { config } from '../config.ts'

let share: (() => number | null) | undefined

/** Says how the requests of a run are shared out: whatever makes VUs knows. Apart from that, as most VUs need none of it. */
export function limitRequests(shareOfVu: () => number | null): void {
  share = shareOfVu
}

/** What this VU may send, null: as many as it takes. Nothing where requests are counted and nobody said how they are shared. */
export function requestsMaxOfVu(): number | null {
  return config.requestsMax === null ? null : (share?.() ?? 0)
}
