import { ruleById } from '../../contract/rules.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { NamedCase } from './load-case.ts'

const LINE_WIDTH = 100

/** A case for people: its story, what it judges, and how it is played. */
export function caseText(shown: NamedCase): string[] {
  const { name, title, story, threads, rules, clientRules, stub, faults, target } = shown
  const { world, seed, choices, mutant, pace } = stub
  return [
    `${visibleLine(name)}: ${visibleLine(title)}`,
    '',
    ...wrapped(story),
    '',
    ...list(
      'judges of the exchange',
      rules.map((rule) => `${rule}: ${ruleById(rule)?.statement ?? ''}`),
    ),
    ...list('asks of the client', clientRules),
    ...list('seen in', threads),
    ...(target === undefined
      ? [
          `stub: world ${world}, seed ${seed}, choices ${choices}${mutant === undefined ? '' : `, mutant ${mutant}`}, ${PACE_TEXT[pace]}`,
        ]
      : [`target: ${visibleLine(target.name)} (${visibleLine(target.baseUrl)})`]),
    ...(faults === undefined ? [] : [`faults: ${faults}`]),
    '',
    `Play it: breakwater repro run ${visibleLine(name)}`,
  ]
}

const PACE_TEXT = { manual: 'time moved by the case', real: 'in real time' } as const

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
