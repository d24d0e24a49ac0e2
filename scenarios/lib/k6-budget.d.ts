// Our own module of k6 (k6/budget): counts that all VUs of a test share.
declare module 'k6/x/breakwater' {
  /** Counts so many more under a name if no more than `most` are counted then; else counts none, and returns false. */
  export function take(name: string, count: number, most: number): boolean
  export function taken(name: string): number
}
