/** Commands that read profiles and plans, and fail before they send anything: nothing listens at the addresses of these profiles. */
import { scenarioText } from '../../scripts/init/scenario-text.ts'
import { COMMAND_WORDS, type Draw, maybeJson, word } from './draw.ts'
import { type Examples, fixture } from './examples.ts'
import { asIs, type CaseKind, type Drawn, damaged, type Example } from './fuzz-case.ts'

/** A scenario finds the kit by a link next to it. */
const INIT_FILES = ['*.jsonc', '*.k6.ts', 'breakwater']

export function planCases({ profile, wallets, waivers }: Examples): readonly CaseKind[] {
  const mix = fixture('mixes', 'browser-traders')
  const slo = fixture('slos', 'feed')
  const stages = fixture('stages', 'ramp')
  const faults = fixture('faults', 'bad-day')
  return [
    {
      name: 'repro show',
      weight: 30,
      draw: (draw) =>
        withFile(draw, fixture('cases', draw.pick(['mute-socket', 'rate-limit-burst'])), (file) => [
          ...['repro', 'show', `./${file}`],
          ...maybeJson(draw),
        ]),
    },
    {
      name: 'init',
      weight: 10,
      draw: (draw) => ({
        argv: ['init', draw.pick(['profile', 'mix', 'slo', 'scenario']), word(draw)],
        entries: draw.chance(0.5) ? damaged([{ path: 'profile.jsonc', text: '{}' }], draw) : [],
        writes: INIT_FILES,
      }),
    },
    {
      name: 'k8s render',
      weight: 40,
      draw: (draw) => ({
        argv: [
          ...['k8s', 'render', '--target', profile.path, '--rate', '5', '--image', drawImage(draw)],
          ...['--confirm', 'exchange.example'],
          ...draw.pick([[], ['--mix', mix.path], ['--slo', slo.path]]),
          ...maybeJson(draw),
        ],
        entries: damaged([buildRemoteProfile(profile), wallets, mix, slo], draw),
      }),
    },
    {
      name: 'k8s stub',
      weight: 15,
      draw: (draw) =>
        withFile(draw, faults, (file) => ['k8s', 'stub', '--image', drawImage(draw), '--faults', file]),
    },
    {
      name: 'stub',
      weight: 25,
      draw: (draw) => ({
        ...withFile(draw, fixture('faults', draw.pick(['bad-day', 'errors-503'])), (file) => [
          ...['stub', '--port', '0', '--feed-port', '0', '--control-port', '0', '--faults', file],
          ...draw.pick([[], ['--profile', 'mine.json'], ['--from-dump', file]]),
        ]),
        writes: ['mine*'],
        isServer: true,
      }),
    },
    {
      name: 'chain',
      weight: 25,
      draw: (draw) => ({
        ...withFile(draw, fixture('worlds', 'tiny'), (file) => [
          ...['chain', '--blocks', '3'],
          ...(draw.chance(0.8) ? ['--world', file] : ['--from-dump', file]),
          ...maybeJson(draw),
        ]),
        endsWithinMs: 60_000,
      }),
    },
    {
      name: 'bad plans of load and capacity',
      weight: 60,
      draw: (draw) => ({
        argv: [
          ...draw.pick([
            ['load', '--rate', '5', '--slo', slo.path],
            ['capacity', '--stages', stages.path],
          ]),
          ...['--target', profile.path, '--mix', mix.path, '--output', 'out'],
        ],
        entries: [...[profile, wallets].map(asIs), ...damaged([mix, slo, stages], draw)],
        writes: ['out', 'out/*'],
      }),
    },
    {
      name: 'bad profiles of smoke, run and repro',
      weight: 60,
      draw: (draw) => ({
        argv: [
          ...draw.pick([
            ['smoke', '--waivers', 'waivers.json'],
            ['run', 'mine.k6.ts'],
            ['repro', 'run', 'mute-socket'],
          ]),
          ...['--target', 'profile.json', '--output', 'out'],
        ],
        entries: [
          ...damaged([profile, wallets], draw),
          ...(draw.chance(0.5) ? damaged([waivers], draw) : [asIs(waivers)]),
          {
            path: 'mine.k6.ts',
            kind: 'file',
            content: Buffer.from(draw.chance(0.8) ? scenarioText('mine') : word(draw)),
          },
        ],
        // `run` links the kit next to the script.
        writes: ['out', 'out/*', 'breakwater'],
      }),
    },
    {
      name: 'any words',
      weight: 30,
      draw: (draw) => ({
        argv: [
          draw.pick(COMMAND_WORDS),
          ...Array.from({ length: draw.int(0, 4) }, () =>
            draw.chance(0.5) ? draw.pick(COMMAND_WORDS) : word(draw),
          ),
        ],
        entries: [],
        // The words may form a command that writes.
        writes: ['runs', 'runs/*', ...INIT_FILES],
      }),
    },
  ]
}

function drawImage(draw: Draw): string {
  return draw.chance(0.9) ? 'registry.example/breakwater:1' : word(draw)
}

/** A target as seen from pods. */
function buildRemoteProfile({ path, text }: Example): Example {
  const addresses = {
    baseUrl: 'http://exchange.example',
    wsUrl: 'ws://exchange.example',
    metrics: null,
    control: null,
  }
  return { path, text: JSON.stringify({ ...JSON.parse(text), ...addresses }) }
}

function withFile(draw: Draw, example: Example, argv: (file: string) => readonly string[]): Drawn {
  return { argv: argv(example.path), entries: damaged([example], draw) }
}
