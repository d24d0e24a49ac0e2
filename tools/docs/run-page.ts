import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { DEPLOYMENT_HOST, listNamedFiles, type Reader } from './reader.ts'

/** A line's exit code; null if it was not reached. */
export type LineRun = { line: string; exitCode: number | null }

/** Runs lines of a page in a new checkout, and returns their combined output. Kills everything that still runs after `limitMs`. */
export async function runPage(
  { path, text, lines }: { path: string; text: string; lines: readonly string[] },
  { reader, limitMs }: { reader: Reader; limitMs: number },
): Promise<{ lines: LineRun[]; output: string }> {
  const child = spawn('bash', ['-c', pageScript(lines)], {
    cwd: reader.checkout(basename(path, '.md'), pageFiles(text)),
    env: reader.env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
  }
  const timer = setTimeout(end, limitMs)
  let output = ''
  let statusText = ''
  const [, stdout, stderr, results] = child.stdio
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  results?.on('data', (chunk) => {
    statusText += chunk
  })
  const exitCode = await new Promise<number | null>((done) => child.on('close', done))
  clearTimeout(timer)
  const codes = new Map(
    [...statusText.matchAll(/^(\d+) (\d+)$/gm)].map(([, index, code]) => [Number(index), Number(code)]),
  )
  // A line that exits the script cannot report its own code.
  const last = lines.findIndex((_, index) => !codes.has(index))
  if (exitCode !== null && lines[last]?.startsWith('exit ')) codes.set(last, exitCode)
  return { lines: lines.map((line, index) => ({ line, exitCode: codes.get(index) ?? null })), output }
}

/** Files for the reader to save, by name: code blocks whose first line is a comment with only the file name. */
export function pageFiles(markdown: string): Record<string, string> {
  const blocks = markdown.matchAll(/^```(?:js|ts|json)\n(\/\/ ([\w.-]+\.(?:mjs|ts|json))\n[\s\S]*?)^```$/gm)
  return Object.fromEntries([...blocks].map(([, text = '', name = '']) => [name, text]))
}

/**
 * The words of a line's first simple command, as a POSIX shell would split them: without quotes and leading assignments, with
 * nothing expanded. Ends at a pipe, a redirection, `&` or `;`.
 */
export function shellWords(line: string): string[] {
  const words: string[] = []
  for (const [, single, double, bare, end] of line.matchAll(PIECES)) {
    if (end !== undefined) break
    words.push(single ?? double ?? bare ?? '')
  }
  const first = words.findIndex((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word))
  return first === -1 ? [] : words.slice(first)
}

const PIECES = /'([^']*)'|"([^"]*)"|([<>]\([^)]*\)|[^\s'"|<>;&]+)|([|<>;&])/g

export function breakwaterArguments(line: string): string[] | undefined {
  const words = shellWords(line)
  const program = words[0] === 'npx' ? words.slice(1) : words
  return program[0] === 'breakwater' ? program.slice(1) : undefined
}

/**
 * A bash script that runs a page's lines in one shell, with `breakwater stub` in the background until the next one or the end.
 * Expects a scratch checkout as working directory, and prepared files in GIVENS. Writes each line's index and exit code to
 * descriptor 3.
 */
export function pageScript(lines: readonly string[]): string {
  return [PRELUDE, ...lines.map((line, index) => lineScript(withStandIns(line), index))].join('\n')
}

function lineScript(line: string, index: number): string {
  const words = breakwaterArguments(line) ?? []
  const givens = listNamedFiles(words).map(({ path, kind }) => `__given ${kind} '${path}'`)
  const reportCode = `__told $? ${index}`
  if (words[0] !== 'stub') return [...givens, line, reportCode].join('\n')
  // A line that starts it in the background waits for it itself.
  if (line.includes('&')) return [...givens, '__up_ends', line, reportCode].join('\n')
  return [
    ...givens,
    '__up_ends',
    ': > .up.txt',
    `${line} --show-tokens > .up.txt 2>&1 & __up=$!`,
    '__up_ready',
    reportCode,
  ].join('\n')
}

/** Replaces values of the reader's: ports with free ones, tokens, the host, names of runs. */
function withStandIns(line: string): string {
  const ours = line
    .replaceAll(':8082', ':$(__port control)')
    .replace('breakwater stub', 'breakwater stub --port 0 --feed-port 0 --control-port 0')
    .replaceAll('BREAKWATER_CONTROL_TOKEN=…', 'BREAKWATER_CONTROL_TOKEN=$(__up_says control)')
    .replaceAll('BREAKWATER_API_TOKENS=…', 'BREAKWATER_API_TOKENS=$(__up_says tokens)')
    .replace('--confirm exchange.example', `--confirm '${DEPLOYMENT_HOST}'`)
    .replace(/--confirm [\w.]+/, '--confirm 127.0.0.1')
    .replaceAll(/<(\w+)>/g, 'given-$1')
    .replaceAll('runs/…', 'runs/given')
  if (!/breakwater (observe|faults)\b/.test(ours) || /--control|--target/.test(ours)) return ours
  return ours.replace(/breakwater (observe|faults \w+)/, '$& --control http://127.0.0.1:$(__port control)')
}

const PRELUDE = String.raw`set -u
__up=
trap '__up_ends; kill $(jobs -p) 2>/dev/null' EXIT
__told() { echo "$2 $1" >&3; return "$1"; }
__nth=0
__given() {
  [ -e "$2" ] && return
  mkdir -p "$(dirname "$2")"
  __nth=$((__nth % 2 + 1))
  cp -r "$([ -e "$GIVENS/$1" ] && echo "$GIVENS/$1" || echo "$GIVENS/$1-$__nth")" "$2"
}
__up_ends() { [ -z "$__up" ] || { kill "$__up"; wait "$__up"; __up=; } 2>/dev/null; }
__up_ready() {
  until grep -q '^Press Ctrl-C' .up.txt; do
    kill -0 "$__up" 2>/dev/null || { cat .up.txt; return 3; }
    sleep 0.1
  done
}
__port() { cat .up.txt up.txt 2>/dev/null | sed -n "s/^$1 .*:\([0-9][0-9]*\).*/\1/p" | tail -n 1; }
__up_says() { sed -n "s/^$1 .*token \(.*\)/\1/p; s/^$1   *\(ss_.*\)/\1/p" .up.txt; }
`

/** A heading's anchor as GitHub makes it: lower case, hyphens for blanks, no punctuation. */
export function headingAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-')
}

/** Anchors of all headings as GitHub makes them, numbered if repeated. Ignores code blocks. */
export function headingAnchors(markdown: string): Set<string> {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutCode(markdown).matchAll(/^#{1,6} +(.*?) *#*$/gm)) {
    const anchor = headingAnchor(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    anchors.add(before === 0 ? anchor : `${anchor}-${before}`)
  }
  return anchors
}

export function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2$/gm, '')
}
