/** Commands that read profiles and plans, and end before anything is sent: nobody listens at the addresses of these profiles. */
import { scenarioText } from '../../scripts/own/scenario-text.ts'
import type { Draw } from './draw.ts'
import { asIs, damaged, type Example } from './entries.ts'
import { type Examples, fixture } from './examples.ts'
import type { CaseKind, Drawn } from './fuzz-case.ts'
import { COMMAND_WORDS, maybeJson, word } from './words.ts'

/** The kinds of cases of somebody else's profile, waivers, mix, objectives, stages, faults, world, case, or command line. */
export function planCases({ profile, wallets, waivers }: Examples): readonly CaseKind[] {
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
        writes: ['*.jsonc', '*.k6.ts'],
      }),
    },
    {
      name: 'k8s render',
      weight: 40,
      draw: (draw) => ({
        argv: [
          ...[
            'k8s',
            'render',
            '--target',
            'profile.json',
            '--rate',
            '5',
            '--image',
            draw.chance(0.9) ? 'i:1' : word(draw),
          ],
          ...draw.pick([[], ['--mix', 'mix.json'], ['--slo', 'slo.json']]),
          ...maybeJson(draw),
        ],
        entries: [
          ...damaged([profile, wallets], draw),
          ...damaged(
            named(['mix.json', fixture('mixes', 'bots')], ['slo.json', fixture('slos', 'feed')]),
            draw,
          ),
        ],
      }),
    },
    {
      name: 'k8s stub',
      weight: 15,
      draw: (draw) =>
        withFile(draw, fixture('faults', 'bad-day'), (file) => [
          'k8s',
          'stub',
          '--image',
          'i:1',
          '--faults',
          file,
        ]),
    },
    {
      name: 'stub',
      weight: 25,
      draw: (draw) => ({
        ...withFile(draw, fixture('faults', draw.pick(['bad-day', 'errors-503'])), (file) => [
          ...['stub', '--port', '0', '--feed-port', '0', '--control-port', '0', '--faults', file],
          ...draw.pick([[], ['--profile', 'mine.json'], ['--load', file]]),
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
          ...(draw.chance(0.8) ? ['--world', file] : ['--load', file]),
          ...maybeJson(draw),
        ]),
        endsWithinMs: 60_000,
      }),
    },
    {
      name: 'bad plans of load and capacity',
      weight: 60,
      draw: (draw) => ({
        argv: draw.pick([
          [
            'load',
            '--rate',
            '5',
            '--target',
            'profile.json',
            '--mix',
            'mix.json',
            '--slo',
            'slo.json',
            '--out',
            'out',
          ],
          [
            'capacity',
            '--target',
            'profile.json',
            '--stages',
            'stages.json',
            '--mix',
            'mix.json',
            '--out',
            'out',
          ],
        ]),
        entries: [
          ...[profile, wallets].map(asIs),
          ...damaged(
            named(
              ['mix.json', fixture('mixes', draw.pick(['bots', 'reads', 'browser-traders']))],
              ['slo.json', fixture('slos', 'feed')],
              ['stages.json', fixture('stages', 'ramp')],
            ),
            draw,
          ),
        ],
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
          ...['--target', 'profile.json', '--out', 'out'],
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
        writes: ['out', 'out/*'],
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
        // Where the words make a command that writes.
        writes: ['runs', 'runs/*', '*.jsonc', '*.k6.ts'],
      }),
    },
  ]
}

function named(...examples: readonly (readonly [path: string, example: Example])[]): Example[] {
  return examples.map(([path, { text }]) => ({ path, text }))
}

function withFile(draw: Draw, example: Example, argv: (file: string) => readonly string[]): Drawn {
  return { argv: argv(example.path), entries: damaged([example], draw) }
}
