import type { TerminalPaint } from '../terminal-text.ts'

export type Judged = {
  verdict: 'ok' | 'warning' | 'problem' | 'unchecked'
  saw: string
  remedy?: { text: string; command?: string }
}

export type Finding = Judged & { check: string }

export const ok = (saw: string): Judged => ({ verdict: 'ok', saw })
export const unchecked = (saw: string): Judged => ({ verdict: 'unchecked', saw })
export const warning = (saw: string, text: string, command?: string) => bad('warning', saw, text, command)
export const problem = (saw: string, text?: string, command?: string) => bad('problem', saw, text, command)

function bad(verdict: 'warning' | 'problem', saw: string, text?: string, command?: string): Judged {
  if (text === undefined) return { verdict, saw }
  return { verdict, saw, remedy: { text, ...(command !== undefined && { command }) } }
}

const COLORS: Readonly<Record<Finding['verdict'], keyof TerminalPaint>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
  unchecked: 'dim',
}

export function findingLines(findings: readonly Finding[], paint: TerminalPaint): string[] {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const verdictWidth = Math.max(...Object.keys(COLORS).map((verdict) => verdict.length))
  const indent = ' '.repeat(verdictWidth + 2 + width + 2)
  const lines = findings.flatMap(({ check, verdict, saw, remedy }) => {
    const [first = '', ...more] = saw.split('\n')
    const below = [
      ...more,
      ...(remedy?.text.split('\n') ?? []),
      ...(remedy?.command ? [`  ${remedy.command}`] : []),
    ]
    const painted = paint[COLORS[verdict]](verdict.padEnd(verdictWidth))
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
