import type { FaultKind } from './fault-kind.ts'
import { httpError } from './kinds/http-error.ts'

/** Every kind of fault; plans name them. */
export const FAULT_KINDS: readonly FaultKind[] = [httpError]
