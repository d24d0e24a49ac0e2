import type { Command } from 'commander'

type CommandHelp = {
  examples: readonly [line: string, purpose: string][]
  /** Under docs/. */
  page: string
}

/** By the words after `breakwater`. */
export const COMMAND_HELP: Readonly<Record<string, CommandHelp>> = {
  '': {
    examples: [
      ['smoke', 'Check a simulated exchange against the specification'],
      ['stub', 'Start a simulated exchange to test your client against'],
      ['doctor', 'Check this machine for problems'],
    ],
    page: 'README.md',
  },
  smoke: {
    examples: [
      ["smoke --no-load --rules 'ws.*'", 'Check only the rules of the live feed'],
      ['smoke --target profile.json --confirm exchange.example', 'Check a deployed exchange'],
    ],
    page: 'guides/test-a-deployment.md',
  },
  load: {
    examples: [
      ['load --rate 100 --duration 60s', 'Load a new stub with 100 iterations per second for a minute'],
      [
        'load --rate 20 --mix bots --target profile.json --confirm exchange.example',
        'Load a deployed exchange',
      ],
    ],
    page: 'guides/find-the-capacity.md',
  },
  capacity: {
    examples: [
      [
        'capacity --target profile.json --confirm exchange.example',
        'Find the highest rate of a deployed exchange',
      ],
      ['capacity --min-rate 200 --strict', 'Fail unless the target reaches 200 iterations per second'],
    ],
    page: 'guides/find-the-capacity.md',
  },
  compare: {
    examples: [
      ['compare runs/before runs/after', 'Compare earlier runs'],
      ['compare --run old.json new.json --rate 50', 'Run two targets in turn, and compare them'],
    ],
    page: 'guides/compare-releases.md',
  },
  repro: {
    examples: [
      ['repro list', 'List all cases'],
      ['repro --save', 'Save the failures of the newest failed smoke run as a case'],
    ],
    page: 'reference/cases.md',
  },
  explore: {
    examples: [
      ['explore', 'Explore the stub for five minutes'],
      [
        'explore --target staging.json --confirm staging.example --budget 10m',
        'Explore a deployed exchange with the wallets of its profile',
      ],
    ],
    page: 'guides/explore.md',
  },
  hunt: {
    examples: [
      ['hunt --client ./my-bot', 'Run a client under different faults for ten minutes'],
      ['hunt --budget 1h', 'Inject faults into a client that is already running, for an hour'],
    ],
    page: 'guides/hunt.md',
  },
  certify: {
    examples: [
      ['certify --client ./my-bot --client-version 1.2.0', 'Examine a client for about 5 minutes'],
      ["certify --client ./my-bot --rules 'client.ticket.*,client.reconnect.*'", 'Certify only these rules'],
    ],
    page: 'guides/certify.md',
  },
  'repro list': {
    examples: [
      ['repro list', 'Print name and title of each case'],
      ['repro list --json', 'Print all cases in full'],
    ],
    page: 'reference/field-bugs.md',
  },
  'repro show': {
    examples: [
      ['repro show refresh-race-two-tabs', 'Show a case that comes with Breakwater'],
      ['repro show ./mine.json', 'Show a saved case'],
    ],
    page: 'reference/cases.md',
  },
  'repro run': {
    examples: [
      ['repro run refresh-race-two-tabs', 'Run a case on a new stub'],
      [
        'repro run ./mine.json --target profile.json --confirm exchange.example',
        'Run a saved case on a deployed exchange',
      ],
    ],
    page: 'guides/reproduce-a-reconnect-bug.md',
  },
  run: {
    examples: [
      ['run scenario.k6.ts', 'Run a custom scenario on a new stub'],
      [
        'run scenario.k6.ts --target profile.json --confirm exchange.example',
        'Run it on a deployed exchange',
      ],
    ],
    page: 'guides/custom-scenarios.md',
  },
  stub: {
    examples: [
      ['stub --profile stub.json', 'Start a stub, and write its target profile'],
      ['stub --world volatile --faults flaky-network', 'Start a stub with a busier world and network errors'],
    ],
    page: 'guides/test-a-client.md',
  },
  faults: {
    examples: [
      ['faults apply deploy-1012', 'Inject the faults of a plan'],
      ['faults clear', 'Remove all faults'],
    ],
    page: 'reference/faults.md',
  },
  'faults apply': {
    examples: [
      ['faults apply deploy-1012', 'Inject the faults of a plan that comes with Breakwater'],
      ['faults apply mine.json --target stub.json', 'Inject the faults of your own plan into this stub'],
    ],
    page: 'reference/faults.md',
  },
  'faults list': {
    examples: [
      ['faults list', 'List the faults of the stub on this machine'],
      ['faults list --target stub.json --json', 'Print the faults of the stub of this profile as JSON'],
    ],
    page: 'reference/faults.md',
  },
  'faults export': {
    examples: [
      ['faults export', 'Print the decisions of the active plan so far'],
      ['faults export --output schedule.json', 'Write a plan that `faults apply schedule.json` repeats'],
    ],
    page: 'reference/faults.md',
  },
  'faults clear': {
    examples: [
      ['faults clear', 'Remove all faults of the stub on this machine'],
      ['faults clear --target stub.json', 'Remove all faults of the stub of this profile'],
    ],
    page: 'reference/faults.md',
  },
  observe: {
    examples: [
      ['observe', 'Report violations until Ctrl-C'],
      ['observe --target stub.json --duration 60s --junit client.xml', 'Observe for a minute in CI'],
    ],
    page: 'reference/observer.md',
  },
  chain: {
    examples: [
      ['chain --world volatile --blocks 5000 --check 100', 'Mine blocks, and check the invariants'],
      ['chain --seed 7 --dump world.dump', 'Write the final state to a file'],
    ],
    page: 'reference/chain.md',
  },
  report: {
    examples: [
      ['report runs/RUN --format html', 'Regenerate only the HTML report'],
      ['report runs/RUN --slo mine.json', 'Judge a run by other objectives'],
    ],
    page: 'get-started/read-the-report.md',
  },
  runs: {
    examples: [
      ['runs', 'List the runs in runs/'],
      ['runs prune --older-than 30d', 'Remove old runs'],
    ],
    page: 'guides/compare-releases.md',
  },
  'runs list': {
    examples: [
      ['runs list', 'List the runs in runs/'],
      ['runs list archive --json', 'Print the runs of another folder as JSON'],
    ],
    page: 'guides/compare-releases.md',
  },
  'runs push': {
    examples: [
      ['runs push runs/RUN --release v1.4.0 --commit 4be1c2d', 'Add a run to run-history/'],
      ['runs push runs/A runs/B --history history', 'Add two runs to another history'],
    ],
    page: 'guides/trends.md',
  },
  trend: {
    examples: [
      ['trend', 'Judge all runs in run-history/'],
      ['trend --job capacity --since v1.4.0 --html trend.html', 'Fail for any regression after a release'],
    ],
    page: 'guides/trends.md',
  },
  'runs prune': {
    examples: [
      ['runs prune --keep 20 --dry-run', 'List what would be removed if the newest 20 runs are kept'],
      ['runs prune --older-than 30d', 'Remove runs that ended more than 30 days ago'],
    ],
    page: 'guides/compare-releases.md',
  },
  merge: {
    examples: [
      ['merge a b', 'Merge the runs of two load generators'],
      ['merge a b --slo mine.json --output whole', 'Judge the whole by other objectives'],
    ],
    page: 'guides/distributed-load.md',
  },
  init: {
    examples: [
      ['init', 'Create profile.jsonc, mix.jsonc and slo.jsonc'],
      ['init scenario checkout', 'Create a custom scenario'],
    ],
    page: 'reference/profile.md',
  },
  doctor: {
    examples: [
      ['doctor', 'Check this machine'],
      ['doctor --target profile.json', 'Check this machine and a target'],
      ['doctor --target profile.json --sign-in', 'Also check the choices that a sign-in needs'],
    ],
    page: 'reference/doctor.md',
  },
  completion: {
    examples: [
      ['completion bash > breakwater.bash', 'Write the script for bash'],
      ['completion fish | source', 'Enable completion in this session of fish'],
    ],
    page: 'reference/completion.md',
  },
  k8s: {
    examples: [
      ['k8s stub --image IMAGE --profile stub.json | kubectl apply -f -', 'Deploy a stub'],
      ['k8s run --target stub.json --confirm HOST --rate 500 --image IMAGE', 'Load it from the cluster'],
    ],
    page: 'guides/kubernetes.md',
  },
  'k8s run': {
    examples: [
      [
        'k8s run --target stub.json --confirm HOST --rate 500 --parallelism 4 --image IMAGE',
        'Load a target from four pods',
      ],
      [
        'k8s run --target stub.json --confirm HOST --rate 500 --image IMAGE --results claim=results',
        'Store results on a volume',
      ],
    ],
    page: 'guides/kubernetes.md',
  },
  'k8s collect': {
    examples: [
      ['k8s collect evening', 'Write the report of a run'],
      ['k8s collect evening --delete', 'Also delete the run in the cluster'],
    ],
    page: 'guides/kubernetes.md',
  },
  'k8s render': {
    examples: [
      [
        'k8s render --target stub.json --confirm HOST --rate 500 --image IMAGE | kubectl apply --server-side -f -',
        'Start a load with kubectl',
      ],
      ['k8s render --target stub.json --confirm HOST --rate 500 --image IMAGE --json', 'Print JSON'],
    ],
    page: 'guides/kubernetes.md',
  },
  'k8s stub': {
    examples: [
      ['k8s stub --image IMAGE --profile stub.json | kubectl apply -f -', 'Deploy a stub'],
      ['k8s stub --image IMAGE --world volatile --faults bad-day', 'Print a stub with faults'],
    ],
    page: 'guides/kubernetes.md',
  },
}

export function addExamples(command: Command, path: string): void {
  const help = COMMAND_HELP[path]
  if (help === undefined) return
  const lines = help.examples.flatMap(([line, purpose]) => [`  # ${purpose}`, `  breakwater ${line}`])
  command.addHelpText('after', ['', 'Examples:', ...lines, '', `Docs: docs/${help.page}`].join('\n'))
}
