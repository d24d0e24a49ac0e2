import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { docPages } from './at-length.ts'
import { headingAnchors, withoutCode } from './run-page.ts'

const pages = docPages()

/** A page's links within the project: the file, from the project's root, and the anchor. */
function listLinks({
  path,
  text,
}: {
  path: string
  text: string
}): { shown: string; file: string; anchor: string }[] {
  const links = [
    ...withoutCode(text)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm),
  ]
  return links
    .map(([, inline, apart]) => inline ?? apart ?? '')
    .filter((shown) => !/^(https?|mailto):/.test(shown))
    .map((shown) => {
      const [target = '', anchor = ''] = shown.split('#')
      return { shown, file: target === '' ? path : normalize(join(dirname(path), target)), anchor }
    })
}

test.each(pages)('$path: its links have targets', (page) => {
  const dead = listLinks(page).filter(({ file, anchor }) => {
    const there = projectPath(file)
    if (!existsSync(there)) return true
    if (anchor === '') return false
    return statSync(there).isDirectory() || !headingAnchors(readFileSync(there, 'utf8')).has(anchor)
  })
  expect(dead.map(({ shown }) => shown)).toEqual([])
})

test('docs/README.md links to each page of docs/', () => {
  const index = pages.find(({ path }) => path === 'docs/README.md')
  const linked = new Set(index === undefined ? [] : listLinks(index).map(({ file }) => file))
  const others = pages.filter((page) => page.path.startsWith('docs/') && page !== index)
  expect(others.map(({ path }) => path).filter((path) => !linked.has(path))).toEqual([])
})

test('each page can be reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const path of reached) {
    const page = pages.find((other) => other.path === path)
    for (const { file } of page === undefined ? [] : listLinks(page)) reached.add(file)
  }
  expect(pages.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([])
})
