import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sampleCapacity } from '../capacity/sample-capacity.ts'
import { sampleReport } from '../sample-report.ts'
import { createCourse } from '../series/course.ts'
import { chartLibrary } from './page-scripts.ts'
import { renderHtml } from './render-html.ts'

test('the embedded library includes its license and is valid script', () => {
  const script = chartLibrary()
  const [notice = ''] = /^\/\*![\s\S]*?\*\//.exec(script) ?? []
  expect(notice).toContain('Copyright (c) 2022 Leon Sorokin')
  expect(notice).toContain('The above copyright notice and this permission notice shall be included in')
  expect(notice).not.toContain('\r')
  expect(new Function(`${script}; return typeof uPlot`)()).toBe('function')
})

test('names the page that explains a section, which exists with its heading', () => {
  const page = renderHtml({
    report: { ...sampleReport(), capacity: sampleCapacity() },
    course: createCourse(),
    trials: [],
    catalogue: [],
    nowMs: 0,
  })
  const named = [...page.matchAll(/Docs: (docs\/[\w/-]+\.md)(?:#([\w-]+))?</g)].map(
    ([, file = '', anchor]) => ({ file, anchor }),
  )
  expect(named).toHaveLength(7)
  for (const { file, anchor } of named) {
    const headings = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').match(/^#+ .*$/gm) ?? []
    const anchors = headings.map((heading) => heading.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'))
    if (anchor !== undefined) expect(anchors).toContain(anchor)
  }
})
