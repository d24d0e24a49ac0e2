/** Commands that talk to a server, which misbehaves. */
import { scenarioText } from '../../scripts/own/scenario-text.ts'
import { asIs, damaged, type Example } from './entries.ts'
import { type Examples, fixture } from './examples.ts'
import type { CaseKind, ServerPlan } from './fuzz-case.ts'
import { drawServer, HEALTHY_SERVER } from './misbehaviours.ts'
import { maybeJson } from './words.ts'

const CONTROL = ['--control', '{CONTROL}']

/** The kinds of cases in which a target or a control API answers; those that start k6 take long, and are seldom. */
export function serverCases(examples: Examples): readonly CaseKind[] {
  return [
    {
      name: 'faults apply',
      weight: 60,
      draw(draw) {
        const plan = fixture('faults', draw.pick(['bad-day', 'mute-sockets', 'rate-limit-burst']))
        const isPlanGood = draw.chance(0.4)
        return {
          argv: ['faults', 'apply', plan.path, ...CONTROL, ...maybeJson(draw)],
          entries: isPlanGood ? [asIs(plan)] : damaged([plan], draw),
          server: isPlanGood ? drawServer(draw) : HEALTHY_SERVER,
        }
      },
    },
    {
      name: 'faults list, clear',
      weight: 20,
      draw: (draw) => ({
        argv: ['faults', draw.pick(['list', 'clear']), ...CONTROL, ...maybeJson(draw)],
        entries: [],
        server: drawServer(draw),
      }),
    },
    {
      name: 'observe',
      weight: 40,
      draw: (draw) => ({
        argv: ['observe', ...CONTROL, '--for', '300ms', '--all', '--junit', 'junit.xml', ...maybeJson(draw)],
        entries: [],
        server: drawServer(draw),
        writes: ['junit.xml'],
      }),
    },
    {
      name: 'doctor',
      weight: 60,
      draw(draw) {
        const server = drawServer(draw)
        const files = [profileOf(examples, server), examples.wallets]
        return {
          argv: ['doctor', '--target', 'profile.json', ...maybeJson(draw)],
          entries: draw.chance(0.3) ? damaged(files, draw) : files.map(asIs),
          server,
        }
      },
    },
    {
      name: 'k6',
      weight: 8,
      draw(draw) {
        const drawn = drawServer(draw)
        // It is there at first, as the command makes sure before it starts k6.
        const server = { ...drawn, rest: [...HEALTHY_SERVER.rest, ...drawn.rest] }
        const rules = draw.pick(['paging.*', 'auth.*', 'ws.rooms.*'])
        const mix = draw.pick(['reads', 'bots'])
        return {
          argv: [
            ...draw.pick([
              ['smoke', '--rules', rules, '--no-load', '--max-duration', '10'],
              ['load', '--rate', '5', '--duration', '2', '--warm-up', '0', '--mix', mix],
              ['run', 'mine.k6.ts'],
            ]),
            ...['--target', 'profile.json', '--out', 'out'],
          ],
          entries: [profileOf(examples, server, { control: null, credentials: {} }), SCENARIO].map(asIs),
          server,
          writes: ['out', 'out/*', 'breakwater'],
          inProcess: true,
          needsK6: true,
          endsWithinMs: 120_000,
        }
      },
    },
  ]
}

const SCENARIO = { path: 'mine.k6.ts', text: scenarioText('mine') }

/** The profile of this server; ca.pem is there if it speaks TLS. */
function profileOf({ profile }: Examples, { transport }: ServerPlan, more: object = {}): Example {
  const ca = transport === 'http' ? null : 'ca.pem'
  return { ...profile, text: JSON.stringify({ ...JSON.parse(profile.text), ca, ...more }) }
}
