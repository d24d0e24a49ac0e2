import { expect, test } from 'vitest'
import { html, jsonInScript, trusted } from './markup.ts'

test('escapes values but not markup', () => {
  const row = (name: string) => html`<td title="${name}">${name}</td>`
  expect(html`<tr>${[row(`<b>&"'`)]}${trusted('<hr>')}${1}</tr>`.markup).toBe(
    '<tr><td title="&#60;b&#62;&#38;&#34;&#39;">&#60;b&#62;&#38;&#34;&#39;</td><hr>1</tr>',
  )
})

test('no text inside JSON can end the script element', () => {
  const { markup } = jsonInScript({ name: '</script><!--' })
  expect(markup).not.toContain('<')
  expect(JSON.parse(markup)).toEqual({ name: '</script><!--' })
})
