import type { Observer } from './observer.ts'
import type { PoolSpellings } from './pool-spellings.ts'

/** What exchange and gateway need to tell an observer what they see. */
export type Observing = PoolSpellings & { observer: Observer }
