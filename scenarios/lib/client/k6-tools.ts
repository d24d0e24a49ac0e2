import { after } from '../after.ts'
import { pause } from '../pause.ts'
import { vuRandom } from '../vu-random.ts'
import type { Tools } from './tools.ts'

export const k6Tools: Tools = {
  nowMs: Date.now,
  random: vuRandom,
  pause,
  after: (ms, fn) => after(ms, fn).cancel,
}
