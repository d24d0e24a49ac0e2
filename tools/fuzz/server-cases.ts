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
        return {
          argv: ['faults', 'apply', plan.path, ...CONTROL, ...maybeJson(draw)],
          entries: damaged([plan], draw),
          server: draw.chance(0.5) ? drawServer(draw) : HEALTHY_SERVER,
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
        const server = drawServer(draw)
        const rules = draw.pick(['paging.*', 'tokens.*', 'ws.rooms.*'])
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
          entries: [profileOf(examples, server, { wallets: null }), SCENARIO].map(asIs),
          server,
          writes: ['out', 'out/*'],
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
function profileOf({ profile }: Examples, { transport }: ServerPlan, credentials?: object): Example {
  const own = { ca: transport === 'http' ? null : 'ca.pem', ...(credentials && { credentials }) }
  return { ...profile, text: JSON.stringify({ ...JSON.parse(profile.text), ...own }) }
}
