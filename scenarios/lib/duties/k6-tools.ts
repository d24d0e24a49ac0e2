import { after } from '../time/after.ts'
import { pause } from '../time/pause.ts'
import { vuRandom } from '../vu-random.ts'
import type { Tools } from './tools.ts'

export const k6Tools: Tools = {
  nowMs: Date.now,
  random: vuRandom,
  pause,
  after: (ms, fn) => after(ms, fn).cancel,
}
