import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { TextlintKernel } from '@textlint/kernel'
import jsTokens from 'js-tokens'
import { projectPath } from '../../scripts/project.ts'
import type { SourceFile } from '../repo-checks/source-files.ts'

export type WordProblem = { path: string; line: number; message: string }

/** Files with prose: whole pages; in source files, comments and texts of at least three words. */
export const PROSE_ENDINGS = ['.md', '.ts', '.mjs', '.js', '.go', '.py', '.yml', '.yaml']

const THREE_WORDS = /[A-Za-z]{2,} [A-Za-z,]+ [A-Za-z]{2,}/
/** A comment starts with its subject. Questions are fine. */
const NO_SUBJECT = /^(What|Of|Whether)\b(?!.*\?$)/

const terms: [pattern: string, replacement: string][] = JSON.parse(
  readFileSync(projectPath('tools/lint/terms.json'), 'utf8'),
)
const required = createRequire(import.meta.url)
const kernel = new TextlintKernel()
const options = {
  plugins: [
    { pluginId: 'markdown', plugin: required('@textlint/textlint-plugin-markdown').default },
    { pluginId: 'text', plugin: required('@textlint/textlint-plugin-text').default },
  ],
  rules: [
    {
      ruleId: 'terms',
      rule: required('textlint-rule-terminology').default,
      options: { defaultTerms: false, terms },
    },
  ],
}

/** Checks one file against tools/lint/terms.json; problems are in line order. */
export async function findWords({ path, text }: SourceFile): Promise<WordProblem[]> {
  const isPage = path.endsWith('.md')
  const passages = isPage ? [] : listPassages(path, text)
  const { messages } = await kernel.lintText(isPage ? text : blankOthers(text, passages), {
    ...options,
    ext: isPage ? '.md' : '.txt',
    filePath: path,
  })
  const problems = [
    ...messages.map(({ line, message }) => ({ path, line, message })),
    ...passages
      .filter(({ begins, words }) => begins && NO_SUBJECT.test(words))
      .map(({ start, words }) => ({
        path,
        line: text.slice(0, start).split('\n').length,
        message: `A comment starts with “${words.split(' ')[0]}”: start with a noun or a verb`,
      })),
  ]
  return problems.sort((a, b) => a.line - b.line)
}

/** `begins`: does not continue the line comment above. */
type Passage = { start: number; end: number; begins: boolean; words: string }

function listPassages(path: string, text: string): Passage[] {
  const tokens = /\.(py|ya?ml)$/.test(path) ? hashComments(text) : commentsAndTexts(text)
  return tokens.map(({ start, end, comment, words }, index) => {
    const above = tokens[index - 1]
    const goesOn = above?.comment === true && text.slice(above.end, start).trim() === ''
    return { start, end, words, begins: comment && !goesOn }
  })
}

type Token = { start: number; end: number; comment: boolean; words: string }

function commentsAndTexts(text: string): Token[] {
  const tokens: Token[] = []
  let end = 0
  for (const { type, value } of jsTokens(text)) {
    const start = end
    end += value.length
    const comment = type === 'SingleLineComment' || type === 'MultiLineComment'
    const words = value.replace(/^[/*'"`}\s]+|[/*'"`\s]+$/g, '').replace(/\n\s*\*\s?/g, ' ')
    const isText = /^(String|NoSubst|Template)/.test(type) && THREE_WORDS.test(words)
    if (isText || (comment && !words.startsWith('biome-ignore'))) tokens.push({ start, end, comment, words })
  }
  return tokens
}

function hashComments(text: string): Token[] {
  return [...text.matchAll(/(?<=^|\s)#\s(.*)$/gm)].map(({ index: start, 0: whole, 1: words = '' }) => ({
    start,
    end: start + whole.length,
    comment: true,
    words,
  }))
}

/** Blanks everything but the passages, to keep lines and columns. Code spans are not prose. */
function blankOthers(text: string, passages: readonly Passage[]): string {
  let kept = ''
  for (const { start, end } of passages) {
    kept += blank(text.slice(kept.length, start))
    kept += text.slice(start, end).replace(/`[^`\n]*`|\$\{[^}\n]*\}|^[/*'"`\s]+|\n\s*\*/g, blank)
  }
  return kept + blank(text.slice(kept.length))
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}
