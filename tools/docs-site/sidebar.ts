import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

type Page = { text: string; link: string }
type Group = { text: string; items: Page[] }

/**
 * A group for each folder of `docs`, then the pages outside of folders. Titles are the pages' own. The order is that of the links
 * in the index page; pages that it does not link follow by title.
 */
export function makeSidebar(docs: string): (Group | (Page & { items?: never }))[] {
  const index = readFileSync(join(docs, 'README.md'), 'utf8')
  const linked = [...index.matchAll(/\]\(([\w/-]+\.md)/g)].map(([, path = '']) => path)
  const findPlace = (path: string) => (linked.includes(path) ? linked.indexOf(path) : linked.length)
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && path !== 'README.md')
    .map((path) => ({
      path,
      page: { text: readTitle(join(docs, path)), link: `/docs/${path.slice(0, -3)}` },
    }))
    .sort((a, b) => findPlace(a.path) - findPlace(b.path) || a.page.text.localeCompare(b.page.text, 'en'))
  const folders = new Map<string, Page[]>()
  for (const { path, page } of pages) {
    const folder = posix.dirname(path)
    folders.set(folder, [...(folders.get(folder) ?? []), page])
  }
  const outside = folders.get('.') ?? []
  folders.delete('.')
  return [
    { text: readTitle(join(docs, 'README.md')), link: '/docs/' },
    ...[...folders].map(([folder, items]) => ({ text: folderTitle(folder), items })),
    ...outside,
  ]
}

function readTitle(file: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(file, 'utf8')) ?? []
  if (title === undefined)
    throw new Error(`${file} has no title: start it with a line such as "# Exit codes".`)
  return title.replaceAll('`', '')
}

/** `get-started`: Get started. */
function folderTitle(folder: string): string {
  const words = folder.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
