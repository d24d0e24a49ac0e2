/** Real time in milliseconds, from some beginning: to measure how long something took, never to act by. */
export function realTimeMs(): number {
  return performance.now()
}
