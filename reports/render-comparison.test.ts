import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { comparisonSchema } from '../contract/comparison.ts'
import { SAMPLE_COMPARISON } from './compare/sample-comparison.ts'
import { COMPARISON_RENDERERS, writeComparison } from './render-comparison.ts'

const html = COMPARISON_RENDERERS.html.render(SAMPLE_COMPARISON)
const md = COMPARISON_RENDERERS.md.render(SAMPLE_COMPARISON)

test('the page has no scripts or external resources, and escapes names', () => {
  expect(html).not.toMatch(/<script|<link|<img|url\(|https?:/)
  expect(html).toContain("default-src 'none'; script-src ;")
  expect(html).toContain('GET /&#60;b&#62;')
  expect(html).toContain('runs/&#60;new&#62;')
  expect(html).not.toContain('<b>')
  expect(html).not.toContain('\u202e')
})

test('shows each difference with verdict, reason and interval, worst first', () => {
  const rows = html.split('<tr>').slice(2, 5)
  expect(rows.map((row) => /badge (\w+)/.exec(row)?.[1])).toEqual(['fail', 'pass', 'skipped'])
  expect(rows[0]).toContain('+20.0 to +90.0 %')
  expect(rows[0]).toContain('so it is')
  expect(html).toContain('GET /gone (g) p50: B has no such route')
})

test('an interval is drawn on one scale for all, cut at its edge', () => {
  const lines = [...html.matchAll(/class="range" x1="([\d.]+)%" x2="([\d.]+)%"/g)].map(([, from, to]) => [
    from,
    to,
  ])
  // From -50 % to +50 %: +20 % is at 70, +90 % at the edge.
  expect(lines).toEqual([
    ['70.00', '100.00'],
    ['48.00', '49.50'],
    ['49.00', '53.00'],
  ])
  expect(html).toContain('−50 % to +50 %')
})

test('Markdown has the same rows, and escapes names', () => {
  expect(md).toContain('# Breakwater compare: worse')
  expect(md).toContain('| GET /\\<b\\> (g) | p95 | 40 ms | 50 ms | +25.0 % | +20.0 to +90.0 % | worse |')
  expect(md).toContain('- B: runs/\\<new\\>, 2 runs of 20 to 30 s, 2500 requests')
  expect(md).toContain('- not comparable: GET /gone (g) p50: B has no such route')
  expect(md).not.toMatch(/(?<!\\)</)
})

test('omits the method if nothing was judged', () => {
  const refused = SAMPLE_COMPARISON.differences.map((row) => ({
    ...row,
    interval: null,
    relativeInterval: null,
  }))
  const text = COMPARISON_RENDERERS.md.render({ ...SAMPLE_COMPARISON, differences: refused })
  expect(md).toContain('Holm')
  expect(text).not.toContain('Holm')
})

test('writes all formats, and comparison.json matches its schema', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
  try {
    await writeComparison(dir, SAMPLE_COMPARISON)
    expect((await readdir(dir)).sort()).toEqual(['comparison.html', 'comparison.json', 'comparison.md'])
    const json: unknown = JSON.parse(await readFile(path.join(dir, 'comparison.json'), 'utf8'))
    expect(comparisonSchema.strict().parse(json)).toEqual(SAMPLE_COMPARISON)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
