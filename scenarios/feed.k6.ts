// The live feed: access, rooms and their events, frame size, delivery, reconnect.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes, runProbesTogether } from './lib/probe/probe.ts'
import { feedAccess, strangers } from './probes/feed-access.ts'
import { configChanges, launches } from './probes/feed-announcements.ts'
import { notReplayed, syncActive } from './probes/feed-delivery.ts'
import { foreignBalance, ownBalance, roomKinds } from './probes/feed-kinds.ts'
import { restart } from './probes/feed-restart.ts'
import { leaveRoom, renewedRooms, roomLimit, roomsFreed } from './probes/feed-rooms.ts'
import { ticketAccess } from './probes/feed-ticket-access.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('feed') }

/** Concurrent, because each probe only listens; then the restart probe, which ends every socket. */
export async function feed(): Promise<void> {
  await runProbesTogether('feed', [
    feedAccess,
    ticketAccess,
    strangers,
    roomLimit,
    roomKinds,
    ownBalance,
    foreignBalance,
    leaveRoom,
    roomsFreed,
    renewedRooms,
    syncActive,
    notReplayed,
    launches,
    configChanges,
  ])
  await runProbes('feed', [restart])
}
