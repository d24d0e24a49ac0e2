import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { browserScript, ENTRIES, MODULES } from './page-scripts.ts'

test('contains every module without imports and exports', () => {
  const names = readdirSync(new URL('browser', import.meta.url))
    .filter((file) => file.endsWith('.js'))
    .map((file) => file.replace(/\.js$/, ''))
  expect([...MODULES, ...ENTRIES].sort()).toEqual(names.sort())
  for (const entry of ENTRIES) expect(browserScript(entry)).not.toMatch(/^(import|export)\b/m)
})

test.each(ENTRIES)('no two modules of %s declare the same name, as they share one scope', (entry) => {
  const names = [...browserScript(entry).matchAll(/^(?:const|let|function|class) ([\w$]+)/gm)].map(
    ([, name]) => name,
  )
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([])
})
