import { readdirSync } from 'node:fs'
import { basename, parse, resolve } from 'node:path'
import { namesAFile } from '../../contract/json-file.ts'
import { type ReproCase, rejectOtherCases, reproCaseSchema } from '../../contract/repro-case.ts'
import { ruleById } from '../../contract/rules.ts'
import { unknownName } from '../../contract/unknown-name.ts'
import { visibleLine } from '../../reports/visible.ts'
import { readJsonFile } from '../given-files.ts'
import { projectPath } from '../project.ts'

const FOLDER = projectPath('fixtures/cases')

export type NamedCase = ReproCase & { name: string }

/**
 * Reads fixtures/cases/NAME.json, or the file if the name ends in .json. Throws a BreakwaterError (usage) with
 * suggestions, or with every problem of the file.
 */
export async function loadCase(name: string, cwd: string): Promise<NamedCase> {
  const isFile = namesAFile(name)
  if (!isFile && !caseNames().includes(name)) {
    throw unknownName(`unknown case ${JSON.stringify(name)}`, {
      name,
      names: caseNames(),
      listed:
        '`breakwater repro list` lists all cases. The name of your own file must end in .json or .jsonc.',
    })
  }
  const file = isFile ? resolve(cwd, name) : resolve(FOLDER, `${name}.json`)
  const found = await readJsonFile({
    file,
    shown: name,
    schema: reproCaseSchema,
    what: 'case',
    recognize: rejectOtherCases('repro'),
  })
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
