import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { documentText } from '../../terminal-text.ts'
import { yamlOf } from './objects-text.ts'

test('texts that YAML 1.1 takes for something else are quoted, and nothing is said by reference', () => {
  const shared = { cpu: '1', memory: '1Gi' }
  const objects = [
    { words: ['on', 'y', 'no', '12:30', '1_000', '0x1f', '8080', '~', '-', 'a: b', '2026-11-22'] },
    { requests: shared, limits: shared },
  ]
  const text = yamlOf(objects)
  expect(parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS())).toEqual(objects)
  expect(text).not.toMatch(/[&*]/)
})

test('one object after another', () => {
  expect(yamlOf([{ kind: 'A', spec: { list: [{ x: 1 }] } }, { kind: 'B' }])).toBe(
    'kind: A\nspec:\n  list:\n    - x: 1\n---\nkind: B\n',
  )
})

test.each([' \n', '\n \n', ' \n\n', '\t', '\ud83d'])('%j is read back as it is', (text) => {
  const [document] = parseAllDocuments(yamlOf([{ text }]), { version: '1.1' })
  expect(document?.toJS()).toEqual({ text })
})

test('a terminal shows other characters at most, never another value', () => {
  const pieces = [
    '\u001b[31m',
    '\u009b',
    '\u202e',
    '\ufeff',
    '\r',
    '\n',
    '\t',
    '::error::x',
    '##[error]',
    ' ',
    'a',
    '"',
    '\\',
    '#',
  ]
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      fc.array(fc.record({ kind: text, spec: fc.dictionary(text, text) }), { minLength: 1, maxLength: 3 }),
      (objects) => {
        const shown = documentText(yamlOf(objects))
        const read = parseAllDocuments(shown, { version: '1.1' }).map((document) => document.toJS())
        expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(objects)))
      },
    ),
  )
})
