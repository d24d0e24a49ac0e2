import { execFileSync } from 'node:child_process'
import { projectPath, VERSION } from '../../scripts/project.ts'

/**
 * Names the committed sources: the same in every clone and after a rebase, another as soon as a file changes. Tests draw by it,
 * so that what was drawn where they passed is drawn wherever they run. The version stands in where the history is missing.
 */
export function treeOfCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD^{tree}'], {
      cwd: projectPath('.'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return VERSION
  }
}
