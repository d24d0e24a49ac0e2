/** Clusters as they were recorded: each state was provoked in a real one. Fields that a diagnosis does not read are left out. */
import type { JobParts, TestRunView } from './pod-standing.ts'
import ends from './seen/ends.json' with { type: 'json' }
import jobs from './seen/jobs.json' with { type: 'json' }
import resultsPod from './seen/results-pod.json' with { type: 'json' }
import starting from './seen/starting.json' with { type: 'json' }

export type Seen = JobParts & { testRun: TestRunView | null }

const recorded = { ...starting, ...jobs, ...ends, ...resultsPod }

export const SEEN: Readonly<Record<keyof typeof recorded, Seen>> = recorded
