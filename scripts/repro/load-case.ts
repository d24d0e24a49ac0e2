import { readdirSync } from 'node:fs'
import { basename, parse, resolve } from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { namesAFile } from '../../contract/json-file.ts'
import { type ReproCase, reproCaseSchema } from '../../contract/repro-case.ts'
import { ruleById } from '../../contract/rules.ts'
import { visibleLine } from '../../reports/visible.ts'
import { readJsonFile } from '../given-files.ts'
import { projectPath } from '../project.ts'

const SHOWN_MAX = 3

export function nearestNames(name: string, names: readonly string[]): string[] {
  return names
    .map((one) => ({ one, distance: one.includes(name) || name.includes(one) ? 0 : editsBetween(name, one) }))
    .sort((a, b) => a.distance - b.distance || (a.one < b.one ? -1 : 1))
    .slice(0, SHOWN_MAX)
    .map(({ one }) => one)
}

export function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

const FOLDER = projectPath('fixtures/cases')

export type NamedCase = ReproCase & { name: string }

/**
 * Reads fixtures/cases/NAME.json, or the file if the name ends in .json. Throws a BreakwaterError (usage) with
 * suggestions, or with every problem of the file.
 */
export async function loadCase(name: string, cwd: string): Promise<NamedCase> {
  const isFile = namesAFile(name)
  if (!isFile && !caseNames().includes(name)) {
    throw new BreakwaterError(`no case named ${JSON.stringify(name)}`, {
      hint: `Did you mean ${nearestNames(name, caseNames()).join(', ')}? \`breakwater repro list\` lists all cases; your own file must end in .json or .jsonc.`,
    })
  }
  const file = isFile ? resolve(cwd, name) : resolve(FOLDER, `${name}.json`)
  const found = await readJsonFile({ file, shown: name, schema: reproCaseSchema, what: 'case' })
  return { ...found, name: parse(name).name }
}

export function caseNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort()
}

const LINE_WIDTH = 100

export function caseText(shown: NamedCase): string[] {
  const { name, title, story, threads, rules, clientRules, stub, faults, target } = shown
  const { world, seed, choices, mutant, pace } = stub
  return [
    `${visibleLine(name)}: ${visibleLine(title)}`,
    '',
    ...wrapped(story),
    '',
    ...list(
      'judges the exchange by',
      rules.map((rule) => `${rule}: ${ruleById(rule)?.statement ?? ''}`),
    ),
    ...list('judges the client by', clientRules),
    ...list('seen in', threads),
    ...(target === undefined
      ? [
          `stub: world ${world}, seed ${seed}, choices ${choices}${mutant === undefined ? '' : `, mutant ${mutant}`}, ${PACE_TEXT[pace]}`,
        ]
      : [`target: ${visibleLine(target.name)} (${visibleLine(target.baseUrl)})`]),
    ...(faults === undefined ? [] : [`faults: ${faults}`]),
    '',
    `Run it: breakwater repro run ${visibleLine(name)}`,
  ]
}

const PACE_TEXT = { manual: 'time controlled by the case', real: 'in real time' } as const

function list(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `  ${visibleLine(item)}`)]
}

function wrapped(text: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of visibleLine(text, Number.POSITIVE_INFINITY).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > LINE_WIDTH) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
