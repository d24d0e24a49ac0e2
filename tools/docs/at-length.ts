import { readdirSync, readFileSync } from 'node:fs'
import { projectPath } from '../../scripts/project.ts'
import { makeReader } from './reader.ts'
import { type LineRun, runPage } from './run-page.ts'

const PAGE_LIMIT_MS = 3 * 60 * 60 * 1000

/** Follows every page with a long command, its short ones included, and tells of each line. For `npm run nightly`. */
export async function followPagesAtLength(
  tell: (name: string, problem: string | undefined) => void,
): Promise<void> {
  const reader = await makeReader()
  try {
    for (const { path, text } of docPages()) {
      const lines = shCommands(text).filter((line) => line in LONG || line in SHORT)
      if (!lines.some((line) => line in LONG)) continue
      const ran = await runPage({ path, text, lines }, { reader, limitMs: PAGE_LIMIT_MS })
      const isWrong = ({ line, exitCode }: LineRun) => !expectedOf(line).includes(exitCode ?? -1)
      for (const lineRun of ran.lines) {
        const { line, exitCode } = lineRun
        const problem = `exit code ${exitCode}, not ${expectedOf(line).join(' or ')}`
        tell(`${path}: ${line}`, isWrong(lineRun) ? problem : undefined)
      }
      if (ran.lines.some(isWrong)) console.log(ran.output.slice(-10_000))
    }
  } finally {
    await reader.close()
  }
}

function expectedOf(line: string): readonly number[] {
  return [LONG[line] ?? SHORT[line] ?? []].flat()
}

/**
 * The command lines of a page's `sh` blocks, in order: continued lines joined, without comments, blanks made one. Blocks of
 * other languages (`text`, none) are samples and tables, not to be run.
 */
export function shCommands(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => withoutComment(line).replaceAll(/\s+/g, ' ').trim())
      .filter((line) => line !== ''),
  )
}

/** A comment begins with a `#` that begins a word, outside of quotes. */
function withoutComment(line: string): string {
  let quote = ''
  for (const [at, character] of line.split('').entries()) {
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === "'" || character === '"') quote = character
    else if (character === '#' && (at === 0 || /\s/.test(line[at - 1] ?? ''))) return line.slice(0, at)
  }
  return line
}

type DocPage = {
  /** From the project's root: `docs/slo.md`. */
  path: string
  text: string
}

/** The folders whose pages people read; '.' is the root alone. */
const FOLDERS = ['.', 'docs', 'examples']

/** All pages that people read: Markdown of the root, of docs/ and of examples/. */
export function docPages(): DocPage[] {
  return FOLDERS.flatMap((folder) => {
    const names = readdirIfThere(projectPath(folder)).filter((name) => name.endsWith('.md'))
    return names.sort().map((name) => {
      const path = folder === '.' ? name : `${folder}/${name}`
      return { path, text: readFileSync(projectPath(path), 'utf8') }
    })
  })
}

function readdirIfThere(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * Every command line that README and pages show, once, by what runs it. A test fails where one is missing here, or is
 * shown no more.
 */

/** Run by `npm run test:long` for some pages, by `npm run nightly` for all, and the exit code. Whatever takes more than ten seconds by itself belongs below. */
export const SHORT: Readonly<Record<string, number>> = {
  'npx breakwater stub --profile stub.json': 0,
  'npx breakwater stub --replicas 3 --replica-lag 800ms --gateways 2': 0,
  'npx breakwater stub --replicas 3 --gateways 2 --rolling-restart 60s': 0,
  'npx breakwater doctor': 0,
  'npx breakwater doctor --json': 0,
  'npx breakwater doctor --target staging.json': 0,
  'npx breakwater init profile staging': 0,
  'npx breakwater completion bash > breakwater.bash': 0,
  'npx breakwater completion zsh > _breakwater': 0,
  'npx breakwater completion fish > breakwater.fish': 0,
  'npx breakwater stub': 0,
  'npx breakwater stub --service-rate 400 --no-observer --profile stub.json': 0,
  'npx breakwater stub --profile stub.json --faults bad-day > up.txt & up=$!': 0,
  "until grep -q '^Ctrl-C' up.txt || ! kill -0 $up; do sleep 0.2; done": 0,
  'export BREAKWATER_CONTROL_TOKEN=$(openssl rand -hex 16)': 0,
  'status=$?': 0,
  'kill $up': 0,
  'exit $status': 0,
  'export BREAKWATER_CONTROL_TOKEN=…': 0,
  'breakwater stub --faults rate-limit-burst': 0,
  'breakwater faults apply outage': 0,
  'breakwater faults list': 0,
  'breakwater faults clear': 0,
  'curl -H "Authorization: Bearer $BREAKWATER_CONTROL_TOKEN" http://127.0.0.1:8082/status': 0,
  'curl -H "Authorization: Bearer $BREAKWATER_CONTROL_TOKEN" --json \'{"ms": 60000}\' http://127.0.0.1:8082/clock/advance': 0,
  'npx breakwater repro list': 0,
  "npx breakwater smoke --rules 'ws.rooms.*' --no-load": 0,
  "npx breakwater smoke --mutant ws-33-rooms --rules 'ws.rooms.*' --no-load": 1,
  "npx breakwater smoke --rules 'faucet.*' --no-load": 0,
  "npx breakwater smoke --rules 'faucet.*' --no-load --choices odd": 0,
  'npx breakwater repro --save': 0,
  'npx breakwater repro run ./ws-rooms-at-most-32.json': 1,
  'npx breakwater repro show silent-after-reconnect': 0,
  'npx breakwater repro run silent-after-reconnect': 0,
  'npx breakwater repro run reconnect-1012-deploy --mutant ws-restart-strands': 1,
  'node bot.mjs': 0,
  'npx breakwater observe --all --for 1s': 1,
  'node patient-bot.mjs': 0,
  "npx breakwater observe --all --for 1s --rules 'client.429.*'": 0,
  'npx breakwater stub --faults mine.json': 0,
  'npx breakwater stub --profile stub.json --faults deploy-1012': 0,
  'npx breakwater stub --profile stub.json --faults rate-limit-burst': 0,
  'npx breakwater faults apply deploy-1012': 0,
  'npx breakwater faults apply rate-limit-burst': 0,
  'npx breakwater faults apply refresh-race-once': 0,
  'npx breakwater faults apply bad-day': 0,
  'npx breakwater faults list': 0,
  'npx breakwater faults clear': 0,
  'curl -H "Authorization: Bearer $BREAKWATER_CONTROL_TOKEN" --json \'{"ms": 900000}\' http://127.0.0.1:8082/clock/advance': 0,
  'npx breakwater repro run refresh-race-two-tabs': 0,
  'breakwater runs': 0,
  'breakwater runs prune --older-than 30d --keep 20': 0,
  'breakwater merge a b --out whole': 0,
  'npx breakwater init scenario mine': 0,
  'npx breakwater run mine.k6.ts': 0,
  'npx breakwater report runs/… --slo mine.json': 0,
  'npx breakwater chain --world mine.json --events >(gzip > events.ndjson.gz)': 0,
  // Single runs are not comparable; so short ones would not be either.
  'breakwater compare runs/v1 runs/v2': 3,
  'breakwater compare --baseline runs runs/v2': 3,
}

/** Run by `npm run nightly`, with the short ones of the same page, and the exit code, or those that are right. */
export const LONG: Readonly<Record<string, number | readonly number[]>> = {
  'npx breakwater smoke': 0,
  'npx breakwater smoke --no-load': 0,
  'npx breakwater smoke --mutant ws-33-rooms': 1,
  'npx breakwater smoke --mix market': 0,
  'npx breakwater smoke --mix mine.json': 0,
  'npx breakwater smoke --slo mine.json': 0,
  'npx breakwater smoke --target staging.json': 0,
  'npx breakwater smoke --target staging.json --confirm exchange.example': 0,
  'npx breakwater smoke --target candidate.json --confirm exchange.example --min-judged 90%': 0,
  // A faucet that an earlier page claimed from leaves its rules inconclusive.
  'npx breakwater smoke --target candidate.json --confirm exchange.example --strict --include-slow': [0, 4],
  'npx breakwater smoke --target staging.json --confirm exchange.example --waivers known.json': 0,
  "npx breakwater observe --all --for 130s --rules 'client.reconnect.*'": 0,
  'npx breakwater observe --all --for 60s': 0,
  'npx breakwater repro run reconnect-1012-deploy --target staging.json': 3,
  "npm run mutants -- --only 'faucet-*'": 0,
  'npx breakwater capacity --target staging.json --confirm exchange.example': 0,
  'npx breakwater capacity --target candidate.json --confirm exchange.example --require 300': 0,
  'npx breakwater capacity --target candidate.json --confirm exchange.example --baseline runs': 0,
  // Chance may call one worse, or hide it; `npm run comparisons` counts how often.
  'npx breakwater compare --run old.json new.json --rate 50': [0, 1],
  'npx breakwater compare --run current.json candidate.json --rate 50 --confirm exchange.example': [0, 1],
  'npx breakwater run mine.k6.ts --choices odd --world calm': 0,
  'npx breakwater run mine.k6.ts --target profile.json': 0,
  'BREAKWATER_CONTROL_TOKEN=… npx breakwater observe --for 60s': 0,
  'npx breakwater observe --all --for 35s --junit observed.xml': 0,
  'npx breakwater chain --world volatile --blocks 5000 --seed 7': 0,
  'npx breakwater chain --world volatile --seed 7 --blocks 0 --dump start.dump': 0,
  'npx breakwater chain --load start.dump --blocks 1000 --events events.ndjson --json': 0,
  'npx breakwater load --target staging.json --rate 200 --duration 60': 0,
  'breakwater load --rate 200 --k6-out json=samples.json.gz': 0,
  'npx breakwater capacity': 0,
  'npx breakwater capacity --target staging.json': 0,
  'npx breakwater capacity --target staging.json --slo mine.json': 0,
  'npx breakwater capacity --target staging.json --mix market.json --from 20 --to 500': 0,
  'npx breakwater capacity --target staging.json --stages spike': 0,
  'npx breakwater capacity --target staging.json --confirm staging.example --require 300': 0,
  'npx breakwater capacity --target stub.json': 0,
  'npx breakwater capacity --slo feed --mix bots --from 0.5': 0,
  'breakwater capacity --target staging.json --instances 3': 0,
  'breakwater capacity --target new.json --baseline runs': 0,
  'breakwater compare --run old.json new.json --rate 50': [0, 1],
  'breakwater compare --run stub:base-20ms stub:one-route-15-percent-slower --rate 50': [0, 1],
}

const IN_CLUSTER = 'takes a cluster: `npm run test:kubernetes` runs such lines'

/** Run by no page's test: why, and what holds instead. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'docker build -t breakwater:0.1.0 .': 'takes Docker: tools/lint/lint.test.ts lints the Dockerfile',
  'docker run --rm -v "$PWD/runs:/data/runs" breakwater:0.1.0 smoke': 'takes Docker',
  'docker run --rm -p 127.0.0.1:8080:8080 -p 127.0.0.1:8081:8081 breakwater:0.1.0': 'takes Docker',
  'cd examples/compose': 'for the line below',
  'docker compose up --build --abort-on-container-exit --exit-code-from observer':
    'takes Docker: tools/lint/examples.test.ts reads the composition',
  'kubectl apply --server-side -f https://raw.githubusercontent.com/grafana/k6-operator/v1.3.2/bundle.yaml':
    IN_CLUSTER,
  'kubectl apply -f examples/kubernetes/namespace.yaml': IN_CLUSTER,
  'docker build -t registry.example/breakwater:0.1.0 .': 'takes Docker',
  'docker push registry.example/breakwater:0.1.0': 'takes Docker, and a registry',
  'npm run image -- --out breakwater.tar --name registry.example/breakwater:0.1.0':
    'the same: `npm run test:kubernetes` makes one, and runs it',
  'breakwater k8s stub --image registry.example/breakwater:0.1.0 --namespace loads --profile stub.json | kubectl apply -f -':
    IN_CLUSTER,
  'kubectl rollout status deployment/stub -n loads': IN_CLUSTER,
  'breakwater k8s run --target stub.json --confirm stub.loads.svc --rate 500 --duration 60 --parallelism 4 --image registry.example/breakwater:0.1.0 --namespace loads':
    IN_CLUSTER,
  'npx breakwater k8s run --target staging.json --rate 3000 --parallelism 6 --image REF': IN_CLUSTER,
  'kubectl delete testrun NAME -n loads': IN_CLUSTER,
  'breakwater k8s render --target stub.json --confirm stub.loads.svc --rate 500 --duration 60 --parallelism 4 --image registry.example/breakwater:0.1.0 > rendered.yaml':
    IN_CLUSTER,
  'kubectl apply --server-side -n loads -f rendered.yaml': IN_CLUSTER,
  'breakwater k8s gather breakwater --namespace loads': IN_CLUSTER,
  'cd examples/kubernetes': 'for the lines below',
  'kubectl apply -f namespace.yaml': 'takes a cluster: tools/lint/examples.cluster.ts',
  'kubectl apply -n loads -f role.yaml': 'the same',
  'kubectl create serviceaccount breakwater -n loads': 'the same',
  'kubectl create token breakwater -n loads --duration=720h': 'the same',
  'breakwater k8s render --target staging.json --confirm staging.example --image registry.example.com/breakwater:0.1.0 --rate 2000 > rendered.yaml':
    'the same',
  'kubectl apply --server-side -k .': 'the same',
  'npm ci && npm run smoke': 'what `.ci/run` begins with',
  'npm test': 'takes minutes',
  'npm ci': 'what `.ci/run` begins with',
  'npm run smoke': 'a step of `.ci/run`',
  'npm run typecheck': 'a step of `.ci/run`',
  'npm run lint': 'a step of `.ci/run`',
  'npx vitest run tools/repo-checks tools/generate': 'part of `npm test`',
  'npx vitest run simulator/faults': 'part of `npm test`',
  'npm run generate': 'would write into the project: tools/generate/generated.test.ts',
  'npm run clients': 'a step of `.ci/run`',
  'BREAKWATER_API_TOKENS=… PYTHON examples/clients/python/bot.py stub.json':
    'goes on until Ctrl-C: tools/clients/python-client.long.test.ts runs it',
  'npx tsx examples/clients/node/main.ts stub.json':
    'goes on until Ctrl-C: tools/clients/node-example.long.test.ts runs it',
  'npx breakwater stub --profile examples/clients/browser/stub.json':
    'for the page below: tools/clients/browser-page.long.test.ts',
  'npx vite examples/clients/browser':
    'serves a browser until Ctrl-C: tools/clients/browser-page.long.test.ts drives the page',
  'BREAKWATER_CONTROL_TOKEN=… npx breakwater observe':
    'goes on until Ctrl-C: scripts/commands/observe.test.ts',
  'npm run my-client-tests -- --profile stub.json': 'stands for tests of the reader’s',
  './breakwater/node_modules/.bin/tsc -p .': 'needs a folder of its own: tools/docs/own-types.test.ts',
  'breakwater load --target staging.json --rate 1000 --duration 60 --seed 1 --out a':
    'on several machines: scripts/commands/merge.test.ts merges smaller ones',
  'breakwater load --target staging.json --rate 1000 --duration 60 --seed 2 --out b': 'the same',
  'breakwater load --target staging.json --rate 3000 --duration 60 --instances 3':
    'more than a machine of two cores makes: scripts/commands/load-instances.long.test.ts',
  'K6_PROMETHEUS_RW_SERVER_URL=http://127.0.0.1:9090/api/v1/write breakwater load --rate 200 --k6-out experimental-prometheus-rw':
    'takes a Prometheus: tools/prometheus/prometheus.long.test.ts',
}
