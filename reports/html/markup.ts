import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Verdict } from '../../contract/finding.ts'
import type { RunVerdict } from '../../contract/report.ts'
import { visible } from '../visible.ts'

/** HTML that is safe to write: made by the `html` tag, or declared safe with `trusted`. */
export type Markup = { readonly markup: string }

type Value = string | number | Markup | readonly Markup[]

/** Builds HTML from a template and escapes every value that is not markup. */
export function html(template: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const parts = template.map((part, index) => part + escapeValue(values[index] ?? ''))
  return { markup: parts.join('') }
}

/** Declares a text to be HTML. Use only for texts without foreign input. */
export function trusted(markup: string): Markup {
  return { markup }
}

/** JSON for a script element. It contains no `<`, so no value can end the element. */
export function jsonInScript(value: unknown): Markup {
  return { markup: JSON.stringify(value).replaceAll('<', '\\u003c') }
}

function escapeValue(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}

function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * A page as one HTML file; its content security policy blocks all network access, except for `connect`. The body needs
 * a `main` with id `main`.
 */
export function selfContainedPage(options: {
  title: string
  styles: readonly string[]
  scripts: readonly string[]
  body: Markup
  /** Lets scripts connect to the server of the page. */
  connect?: "'self'"
}): string {
  const style = options.styles.join('\n')
  const policy = [
    "default-src 'none'",
    `script-src ${options.scripts.map(hashSource).join(' ')}`,
    `style-src ${hashSource(style)}`,
    ...(options.connect === undefined ? [] : [`connect-src ${options.connect}`]),
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
 * Reads a file that is embedded in a page. Throws the system's error if it is missing, which means a broken installation.
 */
export function readText(file: string | URL): string {
  return readFileSync(file, 'utf8')
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

export function pageStyles(): string[] {
  return ['page.css', 'tables.css', 'print.css'].map((file) => readText(new URL(file, import.meta.url)))
}

/** An accessible table: caption, column headers, and rows of cells made with `cell`. */
export function table(options: {
  kind: string
  caption: string
  columns: readonly string[]
  rows: readonly Markup[]
}): Markup {
  const { kind, caption, columns, rows } = options
  return html`<table class="${kind}">
<caption class="unseen">${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table>`
}

/** Narrow pages have no column headers, so the cell carries the name of its column. */
export function cell(label: string, content: string | Markup, kind = ''): Markup {
  return html`<td${kind === '' ? html`` : html` class="${kind}"`} data-label="${label}">${content}</td>`
}

/**
 * The element that browser/draw-chart.js draws a chart into, with its caption. `title` is its accessible name; use
 * markup for a caption of several paragraphs.
 */
export function chartFigure(options: { id: string; title: string; caption: Markup | string }): Markup {
  const { id, title, caption } = options
  return html`<figure class="chart-figure">
<div class="chart" id="${id}" data-title="${title}"><noscript>Charts need JavaScript.</noscript></div>
<figcaption class="quiet">${caption}</figcaption>
</figure>`
}

/** A sign next to the word, for readers who do not see colors. */
const SIGNS: Readonly<Record<Verdict | RunVerdict, string>> = {
  pass: '✓',
  fail: '✗',
  inconclusive: '?',
  skipped: '–',
  interrupted: '!',
}

export function verdictBadge(verdict: Verdict | RunVerdict): Markup {
  return html`<span class="badge ${verdict}"><span aria-hidden="true">${SIGNS[verdict]}</span> ${verdict}</span>`
}

type Part = 'limits' | 'rules' | 'slo' | 'feed' | 'latency'

const LOAD = 'This run generated load and judged its objectives.'
const CASE = 'This run ran one case and judged only its rules.'

/** Why a section is empty and what to do, by job; `*` is any other job. */
const NOTHING: Readonly<Record<Part, Readonly<Record<string, string>>>> = {
  limits: {
    smoke: 'None of the selected rules tests a limit. Omit --rules to judge all limits.',
    load: `${LOAD} Use breakwater smoke to check limits.`,
    capacity: `${LOAD} Use breakwater smoke to check limits.`,
    repro: `${CASE} Use breakwater smoke to check limits.`,
    '*': 'This run judged its own rules. Use breakwater smoke to check limits.',
  },
  rules: {
    load: `${LOAD} Use breakwater smoke to check rules.`,
    capacity: `${LOAD} Use breakwater smoke to check rules.`,
    '*': 'This run judged no rules.',
  },
  slo: {
    smoke:
      'No objectives: latency was not judged, because --no-load was given or the target does not allow load.',
    repro: 'No objectives: a case is judged by its rules only.',
    run: 'No objectives: use --slo to set them.',
    '*': 'No objectives were set for this run.',
  },
  feed: {
    smoke: 'No client opened a socket: --rules selected no rule of the live feed.',
    load: 'No client opened a socket: no client of the mix uses the live feed.',
    capacity: 'No client opened a socket: no client of the mix uses the live feed.',
    '*': 'No client opened a socket in this run.',
  },
  latency: {
    repro: 'No request was measured: the case uses the live feed only, or ended before its first request.',
    '*': 'No request was measured.',
  },
}

export function renderPlaceholder(part: Part, job: string): Markup {
  const texts = new Map(Object.entries(NOTHING[part]))
  return html`<p class="nothing">${texts.get(job) ?? texts.get('*') ?? ''}</p>`
}
