import type { TerminalPaint } from '../paint.ts'
import type { Finding } from './finding.ts'

const COLOURS: Readonly<Record<Finding['verdict'], keyof TerminalPaint>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
  unchecked: 'dim',
}

/** A line a finding, what to do below it, and how many there are at the end. */
export function findingLines(findings: readonly Finding[], paint: TerminalPaint): string[] {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const verdictWidth = Math.max(...Object.keys(COLOURS).map((verdict) => verdict.length))
  const indent = ' '.repeat(verdictWidth + 2 + width + 2)
  const lines = findings.flatMap(({ check, verdict, saw, remedy }) => {
    const [first = '', ...more] = saw.split('\n')
    const below = [
      ...more,
      ...(remedy?.text.split('\n') ?? []),
      ...(remedy?.command ? [`  ${remedy.command}`] : []),
    ]
    const painted = paint[COLOURS[verdict]](verdict.padEnd(verdictWidth))
    return [`${painted}  ${check.padEnd(width)}  ${first}`, ...below.map((line) => `${indent}${line}`)]
  })
  return [...lines, '', summary(findings)]
}

function summary(findings: readonly Finding[]): string {
  const count = (verdict: Finding['verdict']) =>
    findings.filter((finding) => finding.verdict === verdict).length
  const plural = (number: number, word: string) =>
    `${number === 0 ? 'no' : number} ${word}${number === 1 ? '' : 's'}`
  return `${findings.length} checks: ${plural(count('problem'), 'problem')}, ${plural(count('warning'), 'warning')}`
}
