import { codeCell, table, textCell } from './markdown.ts'

/** Every environment variable that the code reads, by purpose. A name that ends in `*` stands for all with that prefix. */
export const ENVIRONMENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Target and credentials': {
    BREAKWATER_API_TOKENS:
      'API tokens of the target, separated by commas. A profile can name another variable whose name ends in `API_TOKENS` ([credentials.apiTokens](profile-fields.md))',
    BREAKWATER_CONTROL_TOKEN:
      'token of the [control API](control-api.md), for every command that uses it. `stub` uses it as its own token; by default it creates one and prints it',
    BREAKWATER_HEADERS:
      'headers for every request and socket, as a JSON object such as `{"Authorization": "Basic …"}`, in addition to `headers` of the [profile](profile.md)',
  },
  Output: {
    NO_COLOR: 'if not empty, no [colors](output.md#colors)',
    FORCE_COLOR:
      'colors even if the output is not a terminal; `0` disables them. `NO_COLOR` takes precedence',
    TERM: '`dumb`: the terminal cannot rewrite lines, so [progress](output.md#progress) is printed as in a CI log',
    BREAKWATER_DEBUG: 'if not empty, an error also prints its stack trace',
  },
  'Programs and folders': {
    BREAKWATER_K6:
      'path of a k6 binary that was built from `k6/`. By default, Breakwater builds one at the first run and keeps it in the cache',
    BREAKWATER_KUBECTL: 'path of kubectl (default: `kubectl`)',
    KUBECONFIG: 'file of the cluster, read by kubectl',
    KUBERNETES_SERVICE_HOST: 'set in a pod: kubectl then needs no `KUBECONFIG`',
    XDG_CACHE_HOME:
      'absolute path of the cache, which holds k6 and its build tools (default: `~/.cache`); a relative path is ignored',
    HOME: 'parent of the default cache folder',
    TMPDIR: 'folder for temporary files (default: `/tmp`)',
    PATH: 'folders in which Breakwater looks for `go`, `pip`, `kubectl` and the programs that tests need',
    GOMEMLIMIT:
      'soft memory limit of each k6 (default: 80 % of the memory that is available, divided by the number of k6 processes)',
  },
  'Outputs of k6': {
    'K6_CLOUD_*':
      'settings of `--k6-out cloud`. All other `K6_` variables are hidden from k6, because they would override a scenario',
    'K6_CSV_*': 'settings of `--k6-out csv`',
    'K6_INFLUXDB_*': 'settings of `--k6-out influxdb`, with user name and password',
    'K6_JSON_*': 'settings of `--k6-out json`',
    'K6_OTEL_*': 'settings of `--k6-out opentelemetry`',
    'K6_PROMETHEUS_RW_*': 'settings of `--k6-out experimental-prometheus-rw`',
  },
  'GitHub action': {
    'BREAKWATER_INPUT_*': 'inputs of the [action](../guides/ci.md#the-action), set by it',
    GITHUB_OUTPUT: 'file for the outputs of the action, set by the runner',
    GITHUB_STEP_SUMMARY: 'file for the job summary, set by the runner',
    RUNNER_TEMP: 'folder for the run, set by the runner',
  },
  'Clients that `hunt` starts': {
    BREAKWATER_BASE_URL: 'address of the REST API of the stub, set by `hunt`',
    BREAKWATER_WS_URL: 'address of its feed, set by `hunt`',
    BREAKWATER_API_TOKEN: 'an API token, set by `hunt`',
    BREAKWATER_PROFILE:
      'profile of the stub, a file, set by `hunt`; also read by the tests in `examples/clients/python`',
  },
  'Tests of Breakwater': {
    BREAKWATER_SAMPLES:
      '`all`: tests that run a sample of a long list run all of it ([testing](../contributing/testing.md))',
    BREAKWATER_PROPERTY_SEED: 'seed of property tests (default: from the commit)',
    BREAKWATER_PROPERTY_RUNS: 'runs of each property test (default: 100)',
    BREAKWATER_CLIENTS: '`required`: a test whose program is missing fails instead of being skipped',
    BREAKWATER_CHROMIUM: 'path of Chromium',
    BREAKWATER_PROMETHEUS: 'path of Prometheus',
    BREAKWATER_NGINX: 'path of nginx',
    BREAKWATER_HAPROXY: 'path of HAProxy',
    BREAKWATER_PYTHON: 'path of Python (default: `python3`)',
    BREAKWATER_VECTORS: 'folder of the test vectors of the AMM, if they are not next to the checkout',
    BREAKWATER_CLUSTER: '`required`: `npm run test:kubernetes` fails if there is no cluster',
    BREAKWATER_IMAGE: 'image of this checkout, for tests in a cluster',
    BREAKWATER_STARTER_IMAGE: 'image with which the k6-operator starts runners, for tests in a cluster',
    KUBE_HOME: 'folder of a local one-node cluster, whose node gets the image',
  },
  Examples: {
    BREAKWATER_ADDRESS: 'address of the wallet that owns the API token, for the same tests',
    EXCHANGE_URL: 'address of the exchange, for the client in `examples/compose`',
  },
  Internal: {
    BREAKWATER_CONFIG: 'file with the settings of a scenario, set for k6',
    BREAKWATER_MIX_CLIENT: 'client of the mix that a k6 scenario simulates, set for k6',
    BREAKWATER_MIX_ARRIVES:
      '`before` if that client is present when the load starts, `during` if it arrives later, set for k6',
    K6_SERIES_TOKEN: 'token of the [collector](formats.md#sending-the-series-to-a-collector), set for k6',
    K6_SERIES_WATCH: 'whether k6 reports its own resource usage, set for k6',
    BREAKWATER_LEAN_SCENARIOS: 'scenarios of a benchmark, set for k6',
    BREAKWATER_LEAN_UNREAD: 'whether k6 discards response bodies in a benchmark, set for k6',
    BREAKWATER_SESSIONS: 'address of the server that creates sessions, set for Schemathesis',
  },
}

export function environmentPage(): string {
  return [
    '# Environment variables',
    '',
    'This page lists every environment variable that Breakwater reads. Secrets come only from the environment or from files, never from',
    'options, because other users of a machine can see the arguments of a process. No variable is needed for a run on the stub. Generated by',
    '`npm run generate` from `tools/generate/environment-page.ts`; a test compares it with the code.',
    '',
    ...Object.entries(ENVIRONMENT).flatMap(([group, variables]) => [
      `## ${group}`,
      '',
      ...table(
        ['Variable', 'Meaning'],
        Object.entries(variables).map(([name, meaning]) => [codeCell(name), textCell(meaning)]),
      ),
      '',
    ]),
  ].join('\n')
}
