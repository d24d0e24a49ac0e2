import { scenarioText } from '../../scripts/init/scenario-text.ts'
import { type Draw, maybeJson, word } from './draw.ts'
import { type Examples, fixture } from './examples.ts'
import { asIs, type CaseKind, damaged, type Entry, type Example, type ServerPlan } from './fuzz-case.ts'
import { drawServer, HEALTHY_SERVER } from './misbehaviors.ts'
import { planCases } from './plan-cases.ts'

const REPORT_FILES = ['report.html', 'report.json', 'junit.xml', 'summary.md', 'timeline.html']

function runCases({ runs }: Examples): readonly CaseKind[] {
  const allRuns = Object.values(runs)
  return [
    {
      name: 'report',
      weight: 240,
      draw(draw) {
        const dir = folderName('run', draw)
        const slo = fixture('slos', 'feed')
        const bySlo = draw.chance(0.15)
        return {
          argv: ['report', dir, ...maybeJson(draw), ...(bySlo ? ['--slo', slo.path] : [])],
          entries: [...damagedRun(dir, draw.pick(allRuns), draw), ...(bySlo ? damaged([slo], draw) : [])],
          writes: REPORT_FILES.map((file) => `${dir}/${file}`),
        }
      },
    },
    {
      name: 'report --live',
      weight: 80,
      draw(draw) {
        const dir = folderName('run', draw)
        const files = draw.pick(allRuns)
        return {
          argv: ['report', dir, '--live'],
          entries: damagedRun(dir, draw.chance(0.5) ? running(files) : files, draw),
          isServer: true,
        }
      },
    },
    {
      name: 'report with earlier runs',
      weight: 40,
      draw: (draw) => ({
        argv: ['report', 'runs/load', ...maybeJson(draw)],
        entries: [
          ...undamagedRun('runs/load', runs.load),
          ...damagedRun('runs/earlier', earlier(runs.load), draw),
        ],
        writes: REPORT_FILES.map((file) => `runs/load/${file}`),
      }),
    },
    {
      name: 'merge',
      weight: 120,
      draw: (draw) => ({
        argv: ['merge', 'a', 'b', '--output', 'm', ...maybeJson(draw)],
        entries: draw.chance(0.2)
          ? [...undamagedRun('a', runs.capacity), ...damagedRun('b', renamed(runs.capacity), draw)]
          : [...damagedRun('a', runs.load, draw), ...undamagedRun('b', runs.again)],
        writes: ['m', 'm/*'],
      }),
    },
    {
      name: 'compare',
      weight: 110,
      draw(draw) {
        const sides = draw.chance(0.7) ? ['a', 'b'] : ['--baseline', '.', 'b']
        const [first, second] = draw.pick([
          [runs.load, runs.again],
          [runs.smoke, runs.smoke],
          [runs.capacity, runs.capacity],
        ] as const)
        return {
          argv: ['compare', ...sides, '--allow-single-run', '--output', 'c', ...maybeJson(draw)],
          entries: [...damagedRun('a', first, draw), ...undamagedRun('b', second)],
          writes: ['c', 'c/*'],
        }
      },
    },
    {
      name: 'runs list',
      weight: 50,
      draw: (draw) => ({
        argv: ['runs', 'list', ...maybeJson(draw)],
        entries: [
          ...damagedRun(`runs/${folderName('a', draw)}`, draw.pick(allRuns), draw),
          ...undamagedRun('runs/b', runs.load),
        ],
      }),
    },
    {
      name: 'runs prune',
      weight: 50,
      draw(draw) {
        const dir = `runs/${folderName('a', draw)}`
        return {
          argv: [
            'runs',
            'prune',
            ...draw.pick([
              ['--keep', '0'],
              ['--older-than', '1d'],
            ]),
            ...maybeJson(draw),
          ],
          entries: [...damagedRun(dir, draw.pick(allRuns), draw), ...undamagedRun('runs/b', runs.load)],
          writes: [dir, `${dir}/*`, 'runs/b', 'runs/b/*'],
        }
      },
    },
    {
      name: 'repro --save',
      weight: 30,
      draw: (draw) => ({
        argv: ['repro', '--save', ...draw.pick([['--run', 'runs/a'], []]), ...maybeJson(draw)],
        entries: damagedRun('runs/a', runs.smoke, draw),
        writes: ['*.json'],
      }),
    },
  ]
}

function damagedRun(dir: string, files: readonly Example[], draw: Draw): Entry[] {
  return damaged(inFolder(dir, files), draw, { pipes: true })
}

function undamagedRun(dir: string, files: readonly Example[]): Entry[] {
  return inFolder(dir, files).map(asIs)
}

function inFolder(dir: string, files: readonly Example[]): Example[] {
  return files.map(({ path, text }) => ({ path: `${dir}/${path}`, text }))
}

function earlier(files: readonly Example[]): Example[] {
  return files.map(({ path, text }) => ({
    path,
    text: text.replace('"startedAt":"2026-01-02', '"startedAt":"2026-01-01'),
  }))
}

/** A run that goes on, or was killed. */
function running(files: readonly Example[]): Example[] {
  return files.map(({ path, text }) => ({
    path,
    text: text.replace(/"state": ?"[a-z]+"/, '"state":"running"'),
  }))
}

function renamed(files: readonly Example[]): Example[] {
  return files.map(({ path, text }) => ({
    path,
    text: text.replace('"id":"capacity-id"', '"id":"other-id"'),
  }))
}

/** An untrusted folder name that stays inside its parent. */
function folderName(usual: string, draw: Draw): string {
  if (draw.chance(0.9)) return usual
  // Whole characters, as a file system stores them.
  const name = Buffer.from(word(draw).replaceAll('/', '').slice(0, 50)).toString()
  return /^[.-]*$/.test(name) || name.startsWith('-') ? usual : name
}

export function caseKinds(examples: Examples): readonly CaseKind[] {
  return [...runCases(examples), ...planCases(examples), ...serverCases(examples)]
}

const CONTROL = ['--control', '{CONTROL}']

/** Cases with a target or a control API; those that start k6 take long, and are rare. */
function serverCases(examples: Examples): readonly CaseKind[] {
  return [
    {
      name: 'faults apply',
      weight: 60,
      draw(draw) {
        const plan = fixture('faults', draw.pick(['bad-day', 'blackhole-sockets', 'rate-limit-burst']))
        const isPlanGood = draw.chance(0.4)
        return {
          argv: ['faults', 'apply', plan.path, ...CONTROL, ...maybeJson(draw)],
          entries: isPlanGood ? [asIs(plan)] : damaged([plan], draw),
          server: isPlanGood ? drawServer(draw) : HEALTHY_SERVER,
        }
      },
    },
    {
      name: 'faults list, export, clear',
      weight: 20,
      draw: (draw) => ({
        argv: ['faults', draw.pick(['list', 'export', 'clear']), ...CONTROL, ...maybeJson(draw)],
        entries: [],
        server: drawServer(draw),
      }),
    },
    {
      name: 'observe',
      weight: 40,
      draw: (draw) => ({
        argv: [
          'observe',
          ...CONTROL,
          '--duration',
          '300ms',
          '--all',
          '--junit',
          'junit.xml',
          ...maybeJson(draw),
        ],
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
        const files = [buildProfile(examples, server), examples.wallets]
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
        // Healthy at first, since the command checks that before it starts k6.
        const server = { ...drawn, rest: [...HEALTHY_SERVER.rest, ...drawn.rest] }
        const rules = draw.pick(['paging.*', 'auth.*', 'ws.rooms.*'])
        const mix = draw.pick(['reads', 'bots'])
        return {
          argv: [
            ...draw.pick([
              ['smoke', '--rules', rules, '--no-load', '--max-duration', '10s'],
              ['load', '--rate', '5', '--duration', '2s', '--warm-up', '0s', '--mix', mix],
              ['run', 'mine.k6.ts'],
            ]),
            ...['--target', 'profile.json', '--output', 'out'],
          ],
          entries: [buildProfile(examples, server, { control: null, credentials: {} }), SCENARIO].map(asIs),
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

/** The profile of this server; with TLS, names ca.pem. */
function buildProfile({ profile }: Examples, { transport }: ServerPlan, more: object = {}): Example {
  const ca = transport === 'http' ? null : 'ca.pem'
  return { ...profile, text: JSON.stringify({ ...JSON.parse(profile.text), ca, ...more }) }
}
