import { setTimeout } from 'k6/timers'

/** Lets real time pass without blocking the VU's event loop. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(), ms)
  })
}
