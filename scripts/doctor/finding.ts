import type { TerminalPaint } from '../terminal-text.ts'

/** What a check of `breakwater doctor` says. A problem keeps a run from working; a warning makes it worse, or slower. */
export type Judged = {
  verdict: 'ok' | 'warning' | 'problem' | 'unchecked'
  /** What was seen. */
  saw: string
  /** What to do about it, in words, and as a line for a shell where there is one. */
  remedy?: { text: string; command?: string }
}

/** One check, by its name. */
export type Finding = Judged & { check: string }

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
