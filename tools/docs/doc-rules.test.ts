import { expect, test } from 'vitest'
import { CLIENT_RULES, UNOBSERVABLE_DUTIES } from '../../contract/client-rules.ts'
import { matchesGlob } from '../../contract/match-glob.ts'
import { RULES } from '../../contract/rules.ts'
import { docPages } from './at-length.ts'

const ids = [...RULES, ...CLIENT_RULES, ...UNOBSERVABLE_DUTIES].map(({ id }) => id)
const groups = new Set(ids.map((id) => id.slice(0, id.indexOf('.'))))

test.each(docPages())('$path: each rule on the page exists', ({ text }) => {
  const named = [...text.matchAll(/[`'"]([a-z-]+)\.([a-z0-9*-]+)\.([a-z0-9*-]+)[`'"]/g)]
    .filter(([, group = '']) => groups.has(group))
    .map(([quoted]) => quoted.slice(1, -1))
  expect(named.filter((name) => !ids.some((id) => matchesGlob(name, id)))).toEqual([])
})
