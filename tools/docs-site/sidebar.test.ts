import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { makeSidebar } from './sidebar.ts'

function docsWith(pages: Readonly<Record<string, string>>): string {
  const docs = temporaryFolder()
  for (const folder of ['guides', 'get-started']) mkdirSync(join(docs, folder))
  for (const [path, text] of Object.entries(pages)) writeFileSync(join(docs, path), text)
  return docs
}

test('folders and pages are in the order of the links of the index, then by title', () => {
  const docs = docsWith({
    'README.md':
      '# Docs\n\n[Install](get-started/install.md), [CI](guides/ci.md#jobs), [FAQ](faq.md), [again](guides/ci.md)\n',
    'faq.md': '# Questions\n',
    'about.md': '# What `it` is\n',
    'guides/a.md': '# Zebras\n',
    'guides/b.md': '# Antelopes\n',
    'guides/ci.md': '# CI\n',
    'get-started/install.md': 'Text before\n\n# Install\n\n## More\n',
  })
  expect(makeSidebar(docs)).toEqual([
    { text: 'Docs', link: '/docs/' },
    { text: 'Get started', items: [{ text: 'Install', link: '/docs/get-started/install' }] },
    {
      text: 'Guides',
      items: [
        { text: 'CI', link: '/docs/guides/ci' },
        { text: 'Antelopes', link: '/docs/guides/b' },
        { text: 'Zebras', link: '/docs/guides/a' },
      ],
    },
    { text: 'Questions', link: '/docs/faq' },
    { text: 'What it is', link: '/docs/about' },
  ])
})

test('a page without a title is an error that names it', () => {
  const docs = docsWith({ 'README.md': '# Docs\n', 'faq.md': 'no title\n' })
  expect(() => makeSidebar(docs)).toThrow(
    /faq\.md has no title: start it with a line such as "# Exit codes"\.$/,
  )
})
