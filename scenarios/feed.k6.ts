// The live feed: who is served, rooms, frame size, reconnect.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe.ts'
import { feedAccess, strangers } from './probes/feed-access.ts'
import { restart } from './probes/feed-restart.ts'
import { balanceRooms, leaveRoom, roomLimit } from './probes/feed-rooms.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('feed') }

export function feed(): Promise<void> {
  return runProbes('feed', [feedAccess, strangers, roomLimit, balanceRooms, leaveRoom, restart])
}
