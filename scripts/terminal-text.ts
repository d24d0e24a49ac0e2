import { randomUUID } from 'node:crypto'
import { visible, withoutLogCommands } from '../reports/visible.ts'

/**
 * Stands for the escape character in colours of our own until everything else is cleaned. Foreign text cannot hold it: each
 * process draws another one, and prints none.
 */
export const OWN_ESCAPE = `<${randomUUID()}>`

const INDENT = '  '

/**
 * A message as a terminal, or the log of a CI job, may show it. Messages quote targets, profiles, arguments and other files: each
 * control character is shown as an escape, and so is what a CI runner would take for a command. Lines after the first are
 * indented, so that none can pretend to be another message; empty ones are left out.
 */
export function messageText(text: string): string {
  const [first = '', ...others] = linesOf(text).map((line) => cleanLine(line.replaceAll('\t', ' ')))
  return [first, ...others.filter((line) => line.trim() !== '').map(indented)].join('\n')
}

/**
 * The same for a text whose line ends are all our own, such as JSON, YAML or help: each line stays at its place. Inside strings
 * of JSON, and of YAML in double quotes, the escapes are read back as the characters that they stand for.
 */
export function documentText(text: string): string {
  return linesOf(text)
    .map((line) => cleanLine(line.replaceAll('\t', '\\u0009')))
    .join('\n')
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/)
}

function cleanLine(line: string): string {
  return withoutLogCommands(visible(line)).replaceAll(OWN_ESCAPE, '\u001b')
}

function indented(line: string): string {
  return line.startsWith(INDENT) ? line : `${INDENT}${line}`
}
