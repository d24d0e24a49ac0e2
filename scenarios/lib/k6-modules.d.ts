// Our own modules of k6. k6/budget: counts that all VUs of a test share.
declare module 'k6/x/breakwater' {
  /** Counts so many more under a name if no more than `most` are counted then; else counts none, and returns false. */
  export function take(name: string, count: number, most: number): boolean
  export function taken(name: string): number
}

// k6/bounds: the memory and time that a target can take from a VU.
declare module 'k6/x/breakwater/bounds' {
  /** From here on, in this VU, nothing that comes from a target is beyond these limits. Only the first call counts. */
  export function bound(limits: {
    bytesMax: number
    messageBytesMax: number
    jsonLevelsMax: number
    jsonValuesMax: number
  }): void
  /** To make one WebSocket. `heard`, for each message: why it must not be parsed; empty: it may. `cut`: ends the socket at once. */
  export function openSocket(construct: () => void): {
    heard(message: unknown, timestampMs: number): string
    cut(): void
  }
}
