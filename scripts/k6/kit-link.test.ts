import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { projectPath } from '../project.ts'
import { bundleOwn } from './kit-link.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'breakwater-own-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function handed(text: string): Promise<'bundle' | 'script'> {
  const script = join(folder, 'mine.k6.ts')
  writeFileSync(script, text)
  const file = await bundleOwn({ script, folder })
  return file === script ? 'script' : 'bundle'
}

test.each([
  // The kit opens its configuration by absolute path.
  ['one that uses the kit', `import { target } from '${projectPath('scenarios/kit.ts')}'`, 'bundle'],
  [
    'one that uses what k6 fetches',
    `import { uuidv4 } from 'https://jslib.k6.io/k6-utils/1.4.0/index.js'`,
    'bundle',
  ],
  ['one with a word that begins like it', 'export const openFeed = () => reopen()', 'bundle'],
  ['one that opens a file next to it', `const data = open('./data.json')`, 'script'],
  ['one that requires a file next to it', `const { one } = require ('./one.js')`, 'script'],
  ['one that resolves its own path', `const here = import.meta.resolve('./data.json')`, 'script'],
  ['one that imports what is not there', `import { one } from 'lodash'\nexport const two = one`, 'script'],
  ['one that does not parse', 'export default function ( {', 'script'],
])('%s', async (_, text, expected) => {
  expect(await handed(`${text}\nexport default () => {}\n`)).toBe(expected)
})

test.each([
  ['a script that opens a file next to it', { 'mine.k6.ts': `open('./data.json')` }],
  [
    'a script with a module that does',
    { 'mine.k6.ts': `import './data.ts'`, 'data.ts': `open('./data.json')` },
  ],
])('also in a checkout: %s', async (_, files) => {
  mkdirSync(projectPath('.temp'), { recursive: true })
  const checkout = mkdtempSync(projectPath('.temp/own-'))
  onTestFinished(() => rmSync(checkout, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(checkout, name), text)
  const script = join(checkout, 'mine.k6.ts')
  expect(await bundleOwn({ script, folder })).toBe(script)
})
