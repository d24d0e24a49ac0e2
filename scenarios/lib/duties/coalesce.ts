/**
 * Work that is asked for again and again, as by events: one run at a time, and one more where it was asked for meanwhile,
 * told all that was asked. A storm of events makes no storm of work.
 */
export function coalesce<Ask>(work: (asked: readonly Ask[]) => Promise<void>): (asked: Ask) => void {
  let waiting: Ask[] = []
  let isUnderWay = false
  const run = async () => {
    isUnderWay = true
    try {
      while (waiting.length > 0) {
        const asked = waiting
        waiting = []
        await work(asked)
      }
    } finally {
      isUnderWay = false
    }
  }
  return (asked) => {
    waiting.push(asked)
    if (!isUnderWay) void run()
  }
}
