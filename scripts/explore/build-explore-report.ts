/** Turns the result of a search into the document that every format of its report is rendered from. */
import { EXIT } from '../../contract/breakwater-error.ts'
import { type ExploreDocument, exploreReportSchema } from '../../contract/explore-report.ts'
import { INTERFACE_VERSION } from '../../contract/limits.ts'
import type { Explored } from '../../explore/search.ts'
import { countCommands } from '../../explore/sequence.ts'
import { VERSION } from '../project.ts'

export function buildExploreReport(
  explored: Explored,
  given: Pick<ExploreDocument, 'command' | 'target' | 'seed' | 'requests'> & {
    /** The names of the cases, one for each finding. */
    files: readonly string[]
    startedAt: Date
    unavailable: ReadonlyMap<string, string>
  },
): ExploreDocument {
  const { files, startedAt, unavailable, command, target, seed, requests } = given
  const { sequences, commands, findings, unconfirmed, unjudged, isGone, coverage } = explored
  const isJudged = sequences > unjudged.length && !isGone
  const verdict = findings.length > 0 ? 'fail' : isJudged ? 'pass' : 'inconclusive'
  return exploreReportSchema.parse({
    version: 1,
    verdict,
    exitCode: { fail: EXIT.failed, pass: EXIT.ok, inconclusive: EXIT.inconclusive }[verdict],
    startedAt: startedAt.toISOString(),
    breakwater: VERSION,
    specification: INTERFACE_VERSION,
    command,
    target,
    seed,
    sequences,
    commands,
    requests,
    coverage: countCoverage(coverage),
    notExplored: [...unavailable].map(([name, reason]) => ({ command: name, reason })),
    findings: findings.map(
      ({ rule, expected, observed, isConcurrent, confirmed, path, ...finding }, place) => ({
        rule,
        command: finding.command,
        expected,
        observed,
        isConcurrent,
        confirmed,
        path,
        length: countCommands(finding.sequence),
        steps: finding.steps.map(({ turn, atMs, tookMs, text, status }) => ({
          turn,
          atMs,
          tookMs,
          text,
          status,
        })),
        file: files[place] ?? '',
      }),
    ),
    unconfirmed: [...unconfirmed],
    unjudged: [...unjudged],
  } satisfies ExploreDocument)
}

function countCoverage(coverage: ReadonlySet<string>): Record<string, number> {
  const counts = { outcomes: 0, pairs: 0, states: 0 }
  for (const each of coverage)
    counts[each.startsWith('state ') ? 'states' : each.includes(' > ') ? 'pairs' : 'outcomes']++
  return counts
}
