import { LIMITS } from '../contract/limits.ts'
import type { ChoiceSetName } from '../contract/scenario-config.ts'
import type { Deployment } from './choices/choices.ts'
import type { RateLimit } from './exchange/access/rate-limit.ts'
import type { FaultPlan } from './faults/fault-plan.ts'
import type { TlsIdentity } from './http/listener.ts'
import type { MutantName } from './mutants/mutants.ts'

export type StubOptions = {
  /** A name in fixtures/worlds, or a file that ends in .json. */
  world: string
  seed: number
  /** Decides what the specification leaves open; `default` by default. */
  choices?: ChoiceSetName
  /** A dumped world, instead of world and seed; `source` names it in messages. */
  load?: { dump: Buffer; source: string }
  mutant: MutantName | null
  /** Overrides the deployment of the choices. */
  deployment?: Partial<Deployment>
  /** Further wallets with access that own nothing; none by default. */
  newcomers?: number
  /** The program opens more stubs of this world and seed, which then get its history instead of a mined one. */
  isFirstOfMany?: boolean
  observer?: boolean
  faults?: FaultPlan
  rateLimit?: RateLimit
  /** REST capacity in requests per second of real time; unlimited by default. */
  serviceRate?: number
  /** Events per second of real time that a gateway node sends; unlimited by default. */
  fanOutRate?: number
  /** Open sockets of the feed; unlimited by default. */
  socketsMax?: number
  /** Address of the REST host and the feed; the control API stays on 127.0.0.1. */
  host?: string
  /** Serves REST and the feed over TLS with Secure cookies; clients must trust the certificate's issuer. */
  tls?: TlsIdentity
  /** 0, the default: any free port; the same applies to the other two. */
  restPort?: number
  feedPort?: number
  controlPort?: number
  /** Token of the control API; random by default. */
  controlToken?: string
  /** `real`: the clock follows real time after the world's history; `manual`: only the control API moves it. */
  pace: 'real' | 'manual'
  log?: (line: string) => void
}

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
