import type { FaultKind } from './fault-kind.ts'
import { clockSkew } from './kinds/clock-skew.ts'
import { earlyExpiry } from './kinds/early-expiry.ts'
import { feedClose } from './kinds/feed-close.ts'
import { feedDrop } from './kinds/feed-drop.ts'
import { feedDuplicate } from './kinds/feed-duplicate.ts'
import { feedHungHandshake } from './kinds/feed-hung-handshake.ts'
import { feedLate } from './kinds/feed-late.ts'
import { feedLateControl } from './kinds/feed-late-control.ts'
import { feedMute } from './kinds/feed-mute.ts'
import { feedMuteRoom } from './kinds/feed-mute-room.ts'
import { feedRefused } from './kinds/feed-refused.ts'
import { feedReorder } from './kinds/feed-reorder.ts'
import { feedResetHandshake } from './kinds/feed-reset-handshake.ts'
import { feedSlow } from './kinds/feed-slow.ts'
import { feedSlowHandshake } from './kinds/feed-slow-handshake.ts'
import { feedUnknownControl } from './kinds/feed-unknown-control.ts'
import { http429 } from './kinds/http-429.ts'
import { httpBandwidth } from './kinds/http-bandwidth.ts'
import { httpError } from './kinds/http-error.ts'
import { httpHang } from './kinds/http-hang.ts'
import { httpLatency } from './kinds/http-latency.ts'
import { httpMalformed } from './kinds/http-malformed.ts'
import { httpReset } from './kinds/http-reset.ts'
import { httpTruncated } from './kinds/http-truncated.ts'
import { refreshLost } from './kinds/refresh-lost.ts'
import { refreshWindow } from './kinds/refresh-window.ts'
import { reorg } from './kinds/reorg.ts'
import { revisionStorm } from './kinds/revision-storm.ts'
import { slowIndexer } from './kinds/slow-indexer.ts'
import { staleRead } from './kinds/stale-read.ts'
import { staleRoute } from './kinds/stale-route.ts'
import { standingLost } from './kinds/standing-lost.ts'
import { wsTicketLate } from './kinds/ws-ticket-late.ts'

/** Every kind of fault; plans name them. */
export const FAULT_KINDS: readonly FaultKind[] = [
  http429,
  httpError,
  httpLatency,
  httpBandwidth,
  httpReset,
  httpHang,
  httpTruncated,
  httpMalformed,
  refreshWindow,
  refreshLost,
  earlyExpiry,
  standingLost,
  clockSkew,
  staleRead,
  staleRoute,
  slowIndexer,
  revisionStorm,
  reorg,
  feedClose,
  feedDrop,
  feedDuplicate,
  feedHungHandshake,
  feedLate,
  feedLateControl,
  feedMute,
  feedMuteRoom,
  feedRefused,
  feedReorder,
  feedResetHandshake,
  feedSlow,
  feedSlowHandshake,
  feedUnknownControl,
  wsTicketLate,
]
