import type { TestRunView } from './cluster-view.ts'
import type { JobParts } from './job-standing.ts'

/** What there was of a load in a real cluster at one moment, without what nobody reads. Events that repeat are here once. */
export type Seen = JobParts & { testRun: TestRunView | null }
