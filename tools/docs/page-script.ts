import { DEPLOYMENT_HOST } from './deployment.ts'
import { givensOf } from './givens.ts'
import { breakwaterArguments } from './shell-words.ts'

export type Ports = { rest: number; feed: number; control: number }

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
