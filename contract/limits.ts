/**
 * Every figure of the specification's section Limits, once. Plain data: also imported by scenarios inside k6.
 */
export const LIMITS = {
  /** Rows a page, /explore/pools and /swaps. */
  pageSizeMin: 1,
  pageSizeMax: 100,
  routeHopsMax: 3,
  accessSessionSeconds: 15 * 60,
  wsTicketSeconds: 60,
  wsAuthenticateSeconds: 5,
  wsRoomsPerConnection: 32,
  wsFramesPerMinute: 240,
  /** "2 KB": up to 2,000 bytes must be taken, over 2,048 refused; between the two either is right. */
  wsFrameBytesTaken: 2000,
  wsFrameBytesMax: 2048,
  faucetSeconds: 15 * 60,
} as const

/** Of the interface that the specification describes (Versioning, 1); the machine-readable description carries it. */
export const INTERFACE_VERSION = '0.1.0'
