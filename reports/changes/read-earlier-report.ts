import path from 'node:path'
import { z } from 'zod'
import { VERDICTS } from '../../contract/finding.ts'
import { latencyMsSchema } from '../../contract/latency-ms.ts'
import { RUN_VERDICTS, reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { readRunFile } from '../run-file.ts'

/** Of a report, what is held against that of a later run; one of another version may have it too. */
const earlierReportSchema = z.object({
  verdict: z.enum(RUN_VERDICTS),
  rules: z.array(z.object({ id: z.string(), verdict: z.enum(VERDICTS) })),
  slo: reportSchema.shape.slo.catch(null),
  capacity: z.object({ rate: z.number().nullable() }).nullable().catch(null),
  latency: z.object({ groups: z.array(z.object({ routeGroup: z.string(), p95: latencyMsSchema })) }),
})

export type EarlierReport = z.infer<typeof earlierReportSchema>

/** Bytes. */
const REPORT_MAX = 32_000_000

/** What a run's report.json said, or undefined where there is none that can be read. */
export async function readEarlierReport(dir: string): Promise<EarlierReport | undefined> {
  const file = path.join(dir, RUN_FILES.reportJson)
  try {
    const text = await readRunFile(file, { bytesMax: REPORT_MAX })
    return earlierReportSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
