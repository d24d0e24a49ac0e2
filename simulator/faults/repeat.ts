import type { FaultTools } from './fault-kind.ts'

/** Does it when the fault’s time begins, and then again and again until that ends. */
export function repeat(everyMs: number, act: () => void, { during, after }: FaultTools): void {
  let isOn = false
  const next = () => {
    if (!isOn) return
    act()
    after(everyMs, next)
  }
  during({
    begin() {
      isOn = true
      next()
    },
    end() {
      isOn = false
    },
  })
}
