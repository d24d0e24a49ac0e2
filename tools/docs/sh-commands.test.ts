import { expect, test } from 'vitest'
import { shCommands } from './sh-commands.ts'

const page = (block: string, language = 'sh') => `text\n\n\`\`\`${language}\n${block}\n\`\`\`\n\nmore\n`

test.each([
  ['a comment after it', 'npx breakwater stub   # terminal 1', ['npx breakwater stub']],
  ['a # inside of quotes, and one inside of a word', "echo '# a' b#c", ["echo '# a' b#c"]],
  ['an empty line, and one of a comment alone', 'a\n\n# only this\nb', ['a', 'b']],
  ['a line that goes on', 'A=1 \\\n  b --c', ['A=1 b --c']],
  ['blanks to line things up', 'a    b', ['a b']],
])('%s', (_, block, commands) => {
  expect(shCommands(page(block))).toEqual(commands)
})

test('all blocks of a page in order, and none of another language', () => {
  expect(shCommands(page('a') + page('b', 'text') + page('c', 'json') + page('d'))).toEqual(['a', 'd'])
})
