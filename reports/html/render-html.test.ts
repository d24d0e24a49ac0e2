import { expect, test } from 'vitest'
import { chartLibrary } from './render-html.ts'

test('the embedded library includes its license and is valid script', () => {
  const script = chartLibrary()
  const [notice = ''] = /^\/\*![\s\S]*?\*\//.exec(script) ?? []
  expect(notice).toContain('Copyright (c) 2022 Leon Sorokin')
  expect(notice).toContain('The above copyright notice and this permission notice shall be included in')
  expect(notice).not.toContain('\r')
  expect(new Function(`${script}; return typeof uPlot`)()).toBe('function')
})
