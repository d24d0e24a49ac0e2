// A client sends a frame for every change of its view, more than a socket may send.
import { actor, outcome, runCase, step } from '../lib/case/run-case.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { judgeBurst, judgeSpread } from '../probes/feed-frames.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('frames') }

export function frames(): Promise<void> {
  return runCase(['ws.frames.at-most-240', 'ws.frames.240-accepted'], async (judge) => {
    const chatty = actor('chatty-client')
    const right = actor('right-client')
    await step('the chatty client sends 300 frames in a burst')
    outcome(chatty, await judgeBurst(chatty, judge))
    await step('the right client sends the allowed number of frames, spread over a minute')
    outcome(right, await judgeSpread(right, judge))
  })
}
