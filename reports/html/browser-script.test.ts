import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { browserScript, MODULES } from './render-html.ts'

test('contains every module without imports and exports', () => {
  const names = readdirSync(new URL('browser', import.meta.url))
    .filter((file) => file.endsWith('.js'))
    .map((file) => file.replace(/\.js$/, ''))
  expect([...MODULES].sort()).toEqual(names.sort())
  expect(browserScript()).not.toMatch(/^(import|export)\b/m)
})

test('no two modules declare the same name, as they share one scope', () => {
  const names = [...browserScript().matchAll(/^(?:const|let|function|class) ([\w$]+)/gm)].map(
    ([, name]) => name,
  )
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([])
})
