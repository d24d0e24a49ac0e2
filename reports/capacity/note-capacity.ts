import type { Run } from '../../contract/run.ts'
import { sloSchema } from '../../contract/slo.ts'

/** By which objectives the loads were chosen that were tried, where the run is now judged by others. */
export function noteCapacity({ search, slo }: Run, judgedBy: string | null): string[] {
  const own = sloSchema.safeParse(slo).data?.name
  if (search === null || judgedBy === null || own === undefined || own === judgedBy) return []
  return [
    `Judged by the objectives ${JSON.stringify(judgedBy)}. The search itself was steered by ${JSON.stringify(own)}, so no load near what these allow may have been tried.`,
  ]
}
