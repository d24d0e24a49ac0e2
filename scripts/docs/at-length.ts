import { LONG, SHORT } from './doc-commands.ts'
import { docPages } from './doc-pages.ts'
import { makeReader } from './reader.ts'
import { runPage } from './run-page.ts'
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
      for (const { line, exitCode } of ran.lines) {
        const expected = LONG[line] ?? SHORT[line]
        tell(`${path}: ${line}`, exitCode === expected ? undefined : `exit code ${exitCode}, not ${expected}`)
      }
      if (ran.lines.some(({ line, exitCode }) => exitCode !== (LONG[line] ?? SHORT[line]))) {
        console.log(ran.output.slice(-10_000))
      }
    }
  } finally {
    await reader.close()
  }
}
