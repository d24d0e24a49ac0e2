import { readdirSync, readFileSync } from 'node:fs'
import { projectPath } from '../../scripts/project-path.ts'

export type DocPage = {
  /** From the project's root: `docs/slo.md`. */
  path: string
  text: string
}

/** The folders whose pages people read; '.' is the root alone. */
const FOLDERS = ['.', 'docs', 'examples']

/** All pages that people read: Markdown of the root, of docs/ and of examples/. */
export function docPages(): DocPage[] {
  return FOLDERS.flatMap((folder) => {
    const names = readdirIfThere(projectPath(folder)).filter((name) => name.endsWith('.md'))
    return names.sort().map((name) => {
      const path = folder === '.' ? name : `${folder}/${name}`
      return { path, text: readFileSync(projectPath(path), 'utf8') }
    })
  })
}

function readdirIfThere(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
