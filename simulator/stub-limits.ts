import { LIMITS } from '../contract/limits.ts'

export const STATED_LIMITS = {
  accessSessionSeconds: LIMITS.accessSessionSeconds,
  ticketSeconds: LIMITS.wsTicketSeconds,
  authenticateSeconds: LIMITS.wsAuthenticateSeconds,
  roomsPerConnection: LIMITS.wsRoomsPerConnection,
  framesPerMinute: LIMITS.wsFramesPerMinute,
  frameBytes: LIMITS.wsFrameBytesMax,
  explorePageSize: LIMITS.pageSizeMax,
  swapsPageSize: LIMITS.pageSizeMax,
  routeHops: LIMITS.routeHopsMax,
  faucetSeconds: LIMITS.faucetSeconds,
}

export type StubLimits = Readonly<Record<keyof typeof STATED_LIMITS, number>>
