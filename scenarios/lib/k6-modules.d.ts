// Our own modules of k6. k6/budget: counts that all VUs of a test share.
declare module 'k6/x/breakwater' {
  /** Counts so many more under a name if no more than `most` are counted then; else counts none, and returns false. */
  export function take(name: string, count: number, most: number): boolean
  export function taken(name: string): number
}

// k6/bounds: the memory and time that a target can take from a VU.
declare module 'k6/x/breakwater/bounds' {
  /** From here on, in this VU, no body is longer or nested deeper, and no more bytes of sockets wait. Only the first call counts. */
  export function bound(bytesMax: number, jsonLevelsMax: number): void
  /** To be called for each message of a socket, with its text, or the bytes of a binary one. False: nested too deep to be parsed. */
  export function heard(message: string | number): boolean
  /** Ends all sockets of this VU at once: the server uses an extension that was not offered. */
  export function cutSockets(): void
}
