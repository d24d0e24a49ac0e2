/** Random draws for generators, by fast-check: the same seed draws the same. */
import fc from 'fast-check'
import { HOSTILE_NAMES } from '../../reports/hostile-text.ts'

export type Draw = {
  int(min: number, max: number): number
  pick<Item>(list: readonly Item[]): Item
  weighted<Item>(list: readonly (readonly [weight: number, item: Item])[]): Item
  chance(share: number): boolean
  any<Item>(arbitrary: fc.Arbitrary<Item>): Item
}

export function drawFrom<Made>(seed: number, make: (draw: Draw) => Made): Made {
  const arbitrary = fc.gen().map((generate) => make(drawBy((one) => generate(() => one))))
  const [made] = fc.sample(arbitrary, { seed, numRuns: 1 })
  return made as Made // as: the sample has one
}

function drawBy(any: Draw['any']): Draw {
  const int = (min: number, max: number) => any(fc.noBias(fc.integer({ min, max })))
  const pick = <Item>(list: readonly Item[]) => list[int(0, list.length - 1)] as Item // as: no list is empty
  return {
    int,
    pick,
    weighted(list) {
      const total = list.reduce((sum, [weight]) => sum + weight, 0)
      let left = int(1, total)
      for (const [weight, item] of list) {
        left -= weight
        if (left <= 0) return item
      }
      throw new Error('expected positive weights')
    },
    chance: (share) => int(1, 1000) <= share * 1000,
    any,
  }
}

/** The seed of one case, so that each can be drawn alone. */
export function deriveSeed(seed: number, number: number): number {
  return Math.imul(Math.imul(seed, 0x9e3779b1) ^ number, 0x85ebca6b) | 0
}

/** A file next to each case's working directory, which must not be read through a link, or changed. */
export const SENTINEL_FILE = '../sentinel/secret.txt'

const TEXTS: readonly string[] = [
  ...Object.values(HOSTILE_NAMES),
  '',
  ' ',
  '.',
  '..',
  '/',
  SENTINEL_FILE,
  '../sentinel',
  '../../../../../../etc/hosts',
  '/dev/zero',
  '/proc/self/environ',
  'a/../../sentinel/secret.txt',
  'planted\\..\\x',
  '-rf',
  '--output=../sentinel',
  '$(id)',
  '`id`',
  "'; id #",
  '::error::forged',
  '::set-output name=a::b',
  'line\nbreakwater: forged\n',
  '\r\u001b[2K\u001b]0;title\u0007',
  '\u009b31mred',
  '\u0085next\u2028line',
  '\u007f\u0008\u0008',
  '__proto__',
  'constructor',
  'toString',
  '$' + '{7*7}{{7*7}}<%= 7 %>%s%n%x',
  'null',
  'NaN',
  '1e999',
  '99999999999999999999999999999999999999',
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  'http://user:password@127.0.0.1:1/',
  'file:///etc/hosts',
  'https://[::1]:99999',
  'ws://',
  'data:text/html,x',
  '%00%0a%1b',
  'x.json',
  '(a+)+$',
  '*'.repeat(60),
  '|'.repeat(300),
  'a'.repeat(100_000),
  ' '.repeat(36_000),
  '\u001b[31m'.repeat(5000),
  '\n'.repeat(5000),
  '💥'.repeat(20_000),
]

const NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  1,
  0.1,
  -0.5,
  5e-324,
  1e-9,
  2 ** 31,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 2,
  -(2 ** 53),
  1e18,
  1e300,
  -1e300,
  8_640_000_000_000_001,
  1_000_000,
  86_400_000,
]

/** JSON texts that no JSON.stringify writes. */
const RAW: readonly string[] = [
  '1e999',
  '-1e999',
  '-0.0e-0',
  '1'.repeat(400),
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
  `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":{"x":1},"a":1,"a":2}',
  'NaN',
  'undefined',
  "'single'",
  '01',
  '+1',
  '/* a comment */ 1',
  '[1,]',
]

/** Text to be inserted into JSON verbatim. */
type Raw = { raw: string }

export function hostileText(draw: Draw): string {
  return draw.weighted<() => string>([
    [6, () => draw.pick(TEXTS)],
    [1, () => draw.any(fc.string({ unit: 'binary', maxLength: 40 }))],
    [1, () => draw.any(fc.string({ unit: 'grapheme', maxLength: 40 }))],
  ])()
}

export function hostileNumber(draw: Draw): number {
  return draw.chance(0.8) ? draw.pick(NUMBERS) : draw.any(fc.double({ noNaN: true, noDefaultInfinity: true }))
}

export function hostileValue(draw: Draw): unknown {
  return draw.weighted<() => unknown>([
    [4, () => hostileText(draw)],
    [3, () => hostileNumber(draw)],
    [2, () => draw.pick([null, true, false, [], {}, [[]], [null], { '': '' }, { length: -1 }])],
    [1, () => draw.any(fc.jsonValue({ maxDepth: 3 }))],
    [1, () => ({ raw: draw.pick(RAW) }) satisfies Raw],
  ])()
}

/** Command and option names, except commands that start a run or serve. */
export const COMMAND_WORDS: readonly string[] = [
  ...['run', 'repro', 'load', 'faults', 'init', 'observe', 'report', 'compare', 'runs', 'merge'],
  ...['k8s', 'completion', 'help', 'list', 'show', 'apply', 'render', 'bash'],
  ...['--help', '--json', '--output', '--list-rules', '--seed', '--target', '--world'],
]

export function maybeJson(draw: Draw): readonly string[] {
  return draw.chance(0.3) ? ['--json'] : []
}

/** Any argument; arguments cannot contain NUL. */
export function word(draw: Draw): string {
  return hostileText(draw).replaceAll('\0', '').slice(0, 10_000)
}
