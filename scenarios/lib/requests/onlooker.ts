import type { Target } from '../../../contract/scenario-config.ts'
import type { Reply } from './reply.ts'
import type { RequestSpec } from './request.ts'

/** Sees every reply of this VU, and reads whose body never parsed. Not set in load tests, which have no time for it. */
export const onlooker: {
  look?: (target: Target, spec: RequestSpec, reply: Reply) => void
  neverParsed?: (spec: RequestSpec, reply: Reply) => void
} = {}
