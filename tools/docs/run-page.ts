import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { freePorts } from '../test/programs.ts'
import { DEPLOYMENT_HOST, givensOf, type Reader } from './reader.ts'

/** What became of a line: its exit code, null where the page never came to it. */
export type LineRun = { line: string; exitCode: number | null }

/**
 * Runs lines of a page in a checkout of its own. `output` is all that they wrote. What still runs after `limitMs` is ended, and
 * with it all that the page started.
 */
export async function runPage(
  { path, text, lines }: { path: string; text: string; lines: readonly string[] },
  { reader, limitMs }: { reader: Reader; limitMs: number },
): Promise<{ lines: LineRun[]; output: string }> {
  const [rest = 0, feed = 0, control = 0] = await freePorts('127.0.0.1', '127.0.0.1', '127.0.0.1')
  const child = spawn('bash', ['-c', pageScript(lines, { rest, feed, control })], {
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
  let told = ''
  const [, stdout, stderr, results] = child.stdio
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  results?.on('data', (chunk) => {
    told += chunk
  })
  const exitCode = await new Promise<number | null>((done) => child.on('close', done))
  clearTimeout(timer)
  const codes = new Map(
    [...told.matchAll(/^(\d+) (\d+)$/gm)].map(([, index, code]) => [Number(index), Number(code)]),
  )
  // A line that ends the script tells nothing itself.
  const last = lines.findIndex((_, index) => !codes.has(index))
  if (exitCode !== null && lines[last]?.startsWith('exit ')) codes.set(last, exitCode)
  return { lines: lines.map((line, index) => ({ line, exitCode: codes.get(index) ?? null })), output }
}

/** Files that a page has its reader save, by name: code blocks whose first line is a comment with the file's name alone. */
export function pageFiles(markdown: string): Record<string, string> {
  const blocks = markdown.matchAll(/^```(?:js|ts|json)\n(\/\/ ([\w.-]+\.(?:mjs|ts|json))\n[\s\S]*?)^```$/gm)
  return Object.fromEntries([...blocks].map(([, text = '', name = '']) => [name, text]))
}

/**
 * The words of the first simple command of a line, as a POSIX shell would see them: quotes taken off, variables set before
 * it left out, nothing expanded, a process substitution as it is; it ends at a pipe, a redirection, `&` or `;`.
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

/** Of a `breakwater` command line its arguments, also where it is called by npx; undefined for another command. */
export function breakwaterArguments(line: string): string[] | undefined {
  const words = shellWords(line)
  const program = words[0] === 'npx' ? words.slice(1) : words
  return program[0] === 'breakwater' ? program.slice(1) : undefined
}

type Ports = { rest: number; feed: number; control: number }

/**
 * A bash script that runs these lines of a page in order, as a reader would: one after another in one shell, `breakwater stub` in
 * another terminal until the next one, or the end. It expects the working directory to be a scratch checkout, and the folder
 * GIVENS with what readers have already. After each line it writes the line's index and exit code to descriptor 3.
 */
export function pageScript(lines: readonly string[], ports: Ports): string {
  return [PRELUDE, ...lines.map((line, index) => lineScript(withStandIns(line, ports), index))].join('\n')
}

function lineScript(line: string, index: number): string {
  const words = breakwaterArguments(line) ?? []
  const givens = givensOf(words).map(({ path, kind }) => `__given ${kind} '${path}'`)
  const told = `__told $? ${index}`
  if (words[0] !== 'stub') return [...givens, line, told].join('\n')
  // A line that puts it into the background itself waits for it itself.
  if (line.includes('&')) return [...givens, '__up_ends', line, told].join('\n')
  return [...givens, '__up_ends', ': > .up.txt', `${line} > .up.txt 2>&1 & __up=$!`, '__up_ready', told].join(
    '\n',
  )
}

/** What stands in for what a reader puts in: ports of its own, so that tests run side by side; tokens; the host; names of runs. */
function withStandIns(line: string, { rest, feed, control }: Ports): string {
  const ours = line
    .replaceAll(':8080', `:${rest}`)
    .replaceAll(':8081', `:${feed}`)
    .replaceAll(':8082', `:${control}`)
    .replace(
      'breakwater stub',
      `breakwater stub --port ${rest} --feed-port ${feed} --control-port ${control}`,
    )
    .replaceAll('BREAKWATER_CONTROL_TOKEN=…', 'BREAKWATER_CONTROL_TOKEN=$(__up_says control)')
    .replaceAll('BREAKWATER_API_TOKENS=…', 'BREAKWATER_API_TOKENS=$(__up_says tokens)')
    .replace('--confirm exchange.example', `--confirm '${DEPLOYMENT_HOST}'`)
    .replace(/--confirm [\w.]+/, '--confirm 127.0.0.1')
    .replaceAll(/<(\w+)>/g, 'given-$1')
    .replaceAll('runs/…', 'runs/given')
  if (!/breakwater (observe|faults)\b/.test(ours) || /--control|--target/.test(ours)) return ours
  return ours.replace(/breakwater (observe|faults \w+)/, `$& --control http://127.0.0.1:${control}`)
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
  until grep -q '^Ctrl-C' .up.txt; do
    kill -0 "$__up" 2>/dev/null || { cat .up.txt; return 3; }
    sleep 0.1
  done
}
__up_says() { sed -n "s/^$1 .*token \(.*\)/\1/p; s/^$1   *\(ss_.*\)/\1/p" .up.txt; }
`

/**
 * The anchors of a Markdown page as forges make them: a heading in small letters, blanks as hyphens, punctuation left out, a
 * number after one that was there before. Headings in code blocks are none.
 */
export function headingAnchors(markdown: string): Set<string> {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutCode(markdown).matchAll(/^#{1,6} +(.*?) *#*$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-')
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    anchors.add(before === 0 ? anchor : `${anchor}-${before}`)
  }
  return anchors
}

/** Without blocks of code, in which `#` and brackets mean something else. */
export function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2$/gm, '')
}
