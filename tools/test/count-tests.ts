import { z } from 'zod'

const reportSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numFailedTestSuites: z.int(),
  numPendingTests: z.int(),
})

/** Counts from vitest's JSON report; a suite that could not be collected counts as one failure. */
export function countVitest(text: string): { passed: number; failed: number; skipped: number } {
  if (text === '') return { passed: 0, failed: 0, skipped: 0 }
  const report = reportSchema.parse(JSON.parse(text))
  const failed = report.numFailedTests === 0 ? report.numFailedTestSuites : report.numFailedTests
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests }
}

type Event = { Action?: string; Package?: string; Test?: string; Output?: string }

/** Counts top-level tests from the output of `go test -json`, and keeps the output of failed ones. */
export function countGoTests(output: string): { passed: number; failed: number; failures: string[] } {
  const events = output.split('\n').flatMap(parseEvent)
  const ended = (action: string) =>
    events.filter((event) => event.Action === action && event.Test !== undefined && !event.Test.includes('/'))
  const failed = ended('fail')
  const failures = failed.map(({ Package, Test }) =>
    events
      .filter(
        (event) =>
          event.Package === Package && event.Test?.split('/')[0] === Test && event.Action === 'output',
      )
      .map((event) => event.Output ?? '')
      .join(''),
  )
  return { passed: ended('pass').length, failed: failed.length, failures }
}

function parseEvent(line: string): Event[] {
  try {
    return line.startsWith('{') ? [JSON.parse(line) as Event] : []
  } catch {
    return []
  }
}
