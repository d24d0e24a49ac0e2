import { expect, test } from 'vitest'
import { pageFiles } from './page-files.ts'

test('a block of code that begins with the name of a file is one', () => {
  const page = '```js\n// bot.mjs\nbot()\n```\n\n```js\n// a remark\nother()\n```\n\n```sh\n# no.mjs\n```\n'
  expect(pageFiles(page)).toEqual({ 'bot.mjs': '// bot.mjs\nbot()\n' })
})
