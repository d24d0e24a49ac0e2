/**
 * Asked for while it is running, `work` runs once more afterwards, however often that was: what it then sees is newer than
 * all that asked for it. Resolves once there is nothing left to do.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let again = false
  const run = async () => {
    do {
      again = false
      await work()
    } while (again)
  }
  return () => {
    again = true
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
