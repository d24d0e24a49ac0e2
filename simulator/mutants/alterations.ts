/** Mutants that spoil answers as they go out, by group. The rest are broken where the stub does what they break. */
import type { Alteration } from '../exchange/replies/alter-answers.ts'
import { ACCESS_ALTERATIONS } from './access-alterations.ts'
import { AUTH_ALTERATIONS } from './auth-alterations.ts'
import type { MutantName } from './mutants.ts'
import { PAGING_ALTERATIONS } from './paging-alterations.ts'
import { ROUTE_ALTERATIONS } from './route-alterations.ts'
import { SWAP_ALTERATIONS } from './swap-alterations.ts'
import { WIRE_ALTERATIONS } from './wire-alterations.ts'

export const ALTERATIONS: Readonly<Partial<Record<MutantName, Alteration>>> = {
  ...AUTH_ALTERATIONS,
  ...WIRE_ALTERATIONS,
  ...ROUTE_ALTERATIONS,
  ...PAGING_ALTERATIONS,
  ...SWAP_ALTERATIONS,
  ...ACCESS_ALTERATIONS,
}
