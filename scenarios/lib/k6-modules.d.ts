// Breakwater's k6 extensions. k6/budget: counters shared by all VUs of a test.
declare module 'k6/x/breakwater' {
  /**
   * Adds `count` under a name and returns true if the sum stays within `most`; otherwise adds nothing and
   * returns false.
   */
  export function take(name: string, count: number, most: number): boolean
  export function taken(name: string): number
}

// k6/bounds: limits the memory and time that the messages of a socket can cost a VU. Its limits for HTTP need no call.
declare module 'k6/x/breakwater/bounds' {
  /**
   * Constructs one WebSocket. `heard` returns why a message must not be parsed, or an empty string. `cut`
   * ends the socket at once. A slow one has small buffers; after `pause` it reads no more until `cut`.
   */
  export function openSocket(
    construct: () => void,
    isSlow: boolean,
  ): {
    heard(message: unknown, timestampMs: number): string
    cut(): void
    pause(): void
  }
}

// k6/history: the operation log of a load. Without the output `history`, they do nothing.
declare module 'k6/x/breakwater/history' {
  /** Records a call; `argument` below 0: none. Returns an id for `done`. */
  export function call(kind: string, key: string, argument: number): number
  /** Records the return; status 0: no response. `value` below 0: none. */
  export function done(id: number, status: number, value: number): void
  /**
   * Returns functions that record the frames of a socket. `kinds` are its kinds of rooms: name or beginning of the name, event type,
   * path of the pool key or address, path of an identity; empty paths for none. `address` is that of the ticket; empty if unknown.
   */
  export function follow(
    key: string,
    kinds: readonly (readonly [string, string, string, string])[],
    address: string,
  ): { sent(text: string): void; received(text: string, atMs: number): void } | null
}
