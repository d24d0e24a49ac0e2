/** Plays one case from beginning to end, and says what was wrong. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findK6 } from '../../scripts/k6/find-k6.ts'
import { projectPath } from '../../scripts/project.ts'
import { leakingFiles, makeCaseFolder, snapshot, strayChanges } from './case-folder.ts'
import { writeEntries } from './entries.ts'
import type { FuzzCase } from './fuzz-case.ts'
import { type HostileServer, NO_SERVER, startHostileServer } from './hostile-server.ts'
import { type Violation, violationsOf } from './judge-case.ts'
import { type Commands, runProcess } from './run-commands.ts'

export type Played = {
  violations: readonly Violation[]
  argv: readonly string[]
  /** Its exit code, or what it came to instead. */
  end: string
}

/** Its folder is `root`; it stays if anything was wrong, with an account of it in case.json. */
export async function playCase(
  fuzzCase: FuzzCase,
  { root, commands, keep }: { root: string; commands: Commands; keep: boolean },
): Promise<Played> {
  const server = fuzzCase.server === null ? null : await startHostileServer(fuzzCase.server)
  try {
    const folder = makeCaseFolder(root)
    const placeholders = server?.placeholders ?? NO_SERVER
    writeEntries(folder.cwd, fuzzCase.entries, placeholders)
    if (server?.ca) writeFileSync(join(folder.cwd, 'ca.pem'), server.ca)
    const argv = fuzzCase.argv.map(
      (word) => (Object.hasOwn(placeholders, word) ? placeholders[word] : undefined) ?? word,
    )
    const before = snapshot(root)
    const request = {
      ...{ argv, cwd: folder.cwd, isServer: fuzzCase.isServer, endsWithinMs: fuzzCase.endsWithinMs },
      env: { ...(await environment(fuzzCase, server)), HOME: folder.home, TMPDIR: folder.tmp },
    }
    const run = await (fuzzCase.inProcess ? runProcess(request) : commands.inWorker(request))
    const after = snapshot(root)
    const outcome = {
      ...{ ...run, argv },
      // What was killed could not clean up.
      strays: run.ended.by === 'exit' ? strayChanges(before, after, fuzzCase.writes) : [],
      leaks: leakingFiles(root, before, after),
    }
    const violations = violationsOf(outcome)
    if (violations.length > 0 || keep) {
      const { entries: _, server: plan, ...told } = fuzzCase
      writeFileSync(
        join(root, 'case.json'),
        `${JSON.stringify({ ...told, plan, violations, outcome }, null, 2)}\n`,
      )
    } else rmSync(root, { recursive: true, force: true })
    const { ended } = outcome
    return { violations, argv, end: ended.by === 'exit' ? String(ended.code) : ended.by }
  } finally {
    await server?.close()
  }
}

async function environment(
  { needsK6 }: FuzzCase,
  server: HostileServer | null,
): Promise<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    ...(server && {
      BREAKWATER_CONTROL_TOKEN: server.controlToken,
      BREAKWATER_API_TOKENS: server.apiTokens.join(','),
    }),
    // HOME is the case's own, where no build of it is.
    ...(needsK6 && { BREAKWATER_K6: await k6() }),
  }
}

function k6(): Promise<string> {
  return findK6({ env: process.env, k6SourceDir: projectPath('k6'), onProgress: console.error })
}
