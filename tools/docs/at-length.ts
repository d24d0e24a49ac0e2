import { LONG, SHORT } from './doc-commands.ts'
import { docPages } from './doc-pages.ts'
import { makeReader } from './reader.ts'
import { type LineRun, runPage } from './run-page.ts'
import { shCommands } from './sh-commands.ts'

const PAGE_LIMIT_MS = 3 * 60 * 60 * 1000

/** Follows every page with a long command, its short ones included, and tells of each line. For `npm run nightly`. */
export async function followPagesAtLength(
  tell: (name: string, problem: string | undefined) => void,
): Promise<void> {
  const reader = await makeReader()
  try {
    for (const { path, text } of docPages()) {
      const lines = shCommands(text).filter((line) => line in LONG || line in SHORT)
      if (!lines.some((line) => line in LONG)) continue
      const ran = await runPage({ path, text, lines }, { reader, limitMs: PAGE_LIMIT_MS })
      const isWrong = ({ line, exitCode }: LineRun) => !expectedOf(line).includes(exitCode ?? -1)
      for (const lineRun of ran.lines) {
        const { line, exitCode } = lineRun
        const problem = `exit code ${exitCode}, not ${expectedOf(line).join(' or ')}`
        tell(`${path}: ${line}`, isWrong(lineRun) ? problem : undefined)
      }
      if (ran.lines.some(isWrong)) console.log(ran.output.slice(-10_000))
    }
  } finally {
    await reader.close()
  }
}

function expectedOf(line: string): readonly number[] {
  return [LONG[line] ?? SHORT[line] ?? []].flat()
}
