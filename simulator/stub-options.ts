import type { ChoiceSetName } from '../contract/scenario-config.ts'
import type { Deployment } from './choices/choices.ts'
import type { RateLimit } from './exchange/access/rate-limit.ts'
import type { FaultPlan } from './faults/fault-plan.ts'
import type { TlsIdentity } from './http/listener.ts'
import type { MutantName } from './mutants/mutants.ts'

/** What a stub is started with. */
export type StubOptions = {
  /** A name in fixtures/worlds, or a file that ends in .json. */
  world: string
  seed: number
  /** How it fills in what is not specified; `plain` by default. */
  choices?: ChoiceSetName
  /** A world that was dumped, in place of world and seed; `source` names it in messages. */
  load?: { dump: Buffer; source: string }
  mutant: MutantName | null
  /** What differs from the deployment of the choices. */
  deployment?: Partial<Deployment>
  /** Whether clients are watched: by the journal of what they send and get, and by the observer. True by default. */
  observer?: boolean
  /** What goes wrong from the start. */
  faults?: FaultPlan
  rateLimit?: RateLimit
  /** REST requests a second that it has time for, by real time: its capacity is known then. As many as it can if left out. */
  serviceRate?: number
  /** Of the REST host and the feed; the control API stays on 127.0.0.1. */
  host?: string
  /** Then REST host and feed speak TLS, and cookies are Secure; a client has to trust who issued the certificate. */
  tls?: TlsIdentity
  /** 0, the default, for any free port; the same goes for the other two. */
  restPort?: number
  feedPort?: number
  controlPort?: number
  /** Of the control API; made by chance if left out. */
  controlToken?: string
  /** Whether the clock follows real time from the end of the world's history, or moves by the control API alone. */
  pace: 'real' | 'manual'
  log?: (line: string) => void
}
