import type { FaultKind } from './fault-kind.ts'
import { clockSkew } from './kinds/clock-skew.ts'
import { earlyExpiry } from './kinds/early-expiry.ts'
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
import { staleRoute } from './kinds/stale-route.ts'

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
  clockSkew,
  staleRoute,
  slowIndexer,
  revisionStorm,
  reorg,
]
