import type { ChainState } from '../chain/state.ts'
import type { IndexState } from '../indexer/index-state.ts'
import type { Book } from './book.ts'

/** What checkers look at, all as of one block. They change none of it. */
export type Evidence = { chain: ChainState; index: IndexState; book: Book }

/** What does not hold, each in a line; nothing where all holds. */
export type Checker = (evidence: Evidence) => readonly string[]
