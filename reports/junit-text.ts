import { visible } from './visible.ts'

export type JunitCase = { className: string; name: string; outcome: JunitOutcome | undefined }

/** undefined: passed. */
export type JunitOutcome = { element: 'failure' | 'error' | 'skipped'; message: string; detail: string }

export type JunitSuite = { name: string; timestamp: string; cases: readonly JunitCase[] }

/** Suites without cases are left out. */
export function junitText({ name, suites }: { name: string; suites: readonly JunitSuite[] }): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name=${quoted(name)} ${countAttributes(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(renderSuite),
    '</testsuites>',
    '',
  ].join('\n')
}

function renderSuite({ name, timestamp, cases }: JunitSuite): string[] {
  if (cases.length === 0) return []
  return [
    `  <testsuite name=${quoted(name)} ${countAttributes(cases)} timestamp=${quoted(timestamp)}>`,
    ...cases.flatMap(renderCase),
    '  </testsuite>',
  ]
}

function renderCase({ className, name, outcome }: JunitCase): string[] {
  const opening = `    <testcase classname=${quoted(className)} name=${quoted(name)}`
  if (outcome === undefined) return [`${opening}/>`]
  const { element, message, detail } = outcome
  return [
    `${opening}>`,
    `      <${element} message=${quoted(message)}>${escapeXml(detail)}</${element}>`,
    '    </testcase>',
  ]
}

function countAttributes(cases: readonly JunitCase[]): string {
  const countCases = (element: JunitOutcome['element']) =>
    cases.filter(({ outcome }) => outcome?.element === element).length
  return `tests="${cases.length}" failures="${countCases('failure')}" errors="${countCases('error')}" skipped="${countCases('skipped')}"`
}

function quoted(text: string): string {
  return `"${escapeXml(text).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)}"`
}

/** XML 1.0 cannot represent most control characters (section 2.2), so they are shown as escapes. */
function escapeXml(text: string): string {
  return visible(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
