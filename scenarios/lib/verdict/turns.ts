/**
 * Turns at something that only one may be at: who enters waits until all before it have left. Entering twice is entering
 * once.
 */
export function createTurns() {
  let holder: object | undefined
  const waiting: { owner: object; go: () => void }[] = []
  return {
    async enter(owner: object): Promise<void> {
      if (holder === owner) return
      if (holder !== undefined || waiting.length > 0) {
        await new Promise<void>((go) => waiting.push({ owner, go }))
      } else holder = owner
    },
    leave(owner: object): void {
      if (holder !== owner) return
      const next = waiting.shift()
      // Handed on before anyone else can come in between.
      holder = next?.owner
      next?.go()
    },
  }
}
