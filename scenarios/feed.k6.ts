// The live feed: who is served, rooms and what they send, frame size, delivery, reconnect.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes, runProbesTogether } from './lib/probe/probe.ts'
import { feedAccess, strangers } from './probes/feed-access.ts'
import { foreignBalance, ownBalance } from './probes/feed-balances.ts'
import { configChanges } from './probes/feed-config.ts'
import { notReplayed } from './probes/feed-delivery.ts'
import { roomKinds } from './probes/feed-kinds.ts'
import { launches } from './probes/feed-launches.ts'
import { leaveRoom, roomsFreed } from './probes/feed-leave.ts'
import { restart } from './probes/feed-restart.ts'
import { roomLimit } from './probes/feed-room-limit.ts'
import { syncActive } from './probes/feed-sync.ts'
import { ticketAccess } from './probes/feed-ticket-access.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('feed') }

/** Side by side, as each only listens to what the chain does for all of them; then what ends every socket. */
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
    syncActive,
    notReplayed,
    launches,
    configChanges,
  ])
  await runProbes('feed', [restart])
}
