import { z } from 'zod'

const reportSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numFailedTestSuites: z.int(),
  numPendingTests: z.int(),
})

/** Counts from the text of vitest's JSON report; a suite that could not even be collected counts as one failure. */
export function countVitest(text: string): { passed: number; failed: number; skipped: number } {
  if (text === '') return { passed: 0, failed: 0, skipped: 0 }
  const report = reportSchema.parse(JSON.parse(text))
  const failed = report.numFailedTests === 0 ? report.numFailedTestSuites : report.numFailedTests
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests }
}
