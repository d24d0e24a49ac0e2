/** So many bytes may be held at once; who asks for more waits until others have given theirs back, in the order of asking. */
export type ByteBudget = {
  /** Resolves to what gives them back. What is more than the whole budget waits for all of it. */
  take(bytes: number): Promise<() => void>
}

/** A budget of so many bytes. */
export function byteBudget(totalBytes: number): ByteBudget {
  let free = totalBytes
  const waiting: { bytes: number; go: () => void }[] = []
  const serve = () => {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift()
      free -= next.bytes
      next.go()
    }
  }
  return {
    take: (wanted) =>
      new Promise((resolve) => {
        const bytes = Math.min(wanted, totalBytes)
        const giveBack = () => {
          free += bytes
          serve()
        }
        waiting.push({ bytes, go: () => resolve(giveBack) })
        serve()
      }),
  }
}
