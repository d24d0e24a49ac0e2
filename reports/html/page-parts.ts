import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { html, type Markup, trusted } from './markup.ts'

/** A page as one HTML file that needs no network, and by its own policy could not use one. The body has a `main` with this id. */
export function selfContainedPage(options: {
  title: string
  styles: readonly string[]
  scripts: readonly string[]
  body: Markup
}): string {
  const style = options.styles.join('\n')
  const policy = [
    "default-src 'none'",
    `script-src ${options.scripts.map(hashSource).join(' ')}`,
    `style-src ${hashSource(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${options.title}</title>
<style>${trusted(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${options.body}
${options.scripts.map(
  (script) => html`<script>${trusted(script)}</script>
`,
)}</body>
</html>
`.markup
}

/**
 * The text of a file that goes into a page. Throws the system's error where it is not there: the installation is not
 * whole.
 */
export function readText(file: string | URL): string {
  return readFileSync(file, 'utf8')
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
