/** Does what is asked for under the same key one after the other, in the order in which it is asked; other keys do not wait. */
export function oneAtATime(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const done = before.then(work)
    const settled = done.then(nothing, nothing)
    last.set(key, settled)
    settled.then(() => last.get(key) === settled && last.delete(key))
    return done
  }
}

function nothing(): void {}
