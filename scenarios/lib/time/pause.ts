import { after } from './after.ts'

/** Lets real time pass without blocking the VU's event loop. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    after(ms, resolve)
  })
}
