import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Verdict } from '../../contract/finding.ts'
import type { RunVerdict } from '../../contract/report.ts'
import { visible } from '../visible.ts'

/** HTML that is safe to write: made by the `html` tag only, or declared so where it is made. */
export type Markup = { readonly markup: string }

type Value = string | number | Markup | readonly Markup[]

/** Builds HTML from a template. Whatever is put in is escaped, unless it is markup itself. */
export function html(template: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const parts = template.map((part, index) => part + escapeValue(values[index] ?? ''))
  return { markup: parts.join('') }
}

/** Declares a text to be HTML: for texts of our own that no stranger had a hand in. */
export function trusted(markup: string): Markup {
  return { markup }
}

/** JSON inside a script element: as no `<` is left in it, no text in it can end the element. */
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

/** The styles that all pages have: what they are made of, tables, and how they are printed. */
export function pageStyles(): string[] {
  return ['page.css', 'tables.css', 'print.css'].map((file) => readText(new URL(file, import.meta.url)))
}

/** A table that says what it is to those who do not see it: caption, columns, and rows of cells made with `cell`. */
export function table(options: {
  /** A class of page.css. */
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

/** A cell that bears its column's name where a narrow page has no columns. */
export function cell(label: string, content: string | Markup, kind = ''): Markup {
  return html`<td${kind === '' ? html`` : html` class="${kind}"`} data-label="${label}">${content}</td>`
}

/**
 * The place of a chart, which browser/draw-chart.js fills, with what it shows in words. `title` names it for who hears the
 * page; `caption` is text, or markup of more than one paragraph.
 */
export function chartFigure(options: { id: string; title: string; caption: Markup | string }): Markup {
  const { id, title, caption } = options
  return html`<figure class="chart-figure">
<div class="chart" id="${id}" data-title="${title}"><noscript>Charts need JavaScript.</noscript></div>
<figcaption class="quiet">${caption}</figcaption>
</figure>`
}

/** A sign beside the word, for those who do not see colors. */
const SIGNS: Readonly<Record<Verdict | RunVerdict, string>> = {
  pass: '✓',
  fail: '✗',
  inconclusive: '?',
  skipped: '–',
  interrupted: '!',
}

/** A verdict as a badge: its word, its color, and its sign. */
export function verdictBadge(verdict: Verdict | RunVerdict): Markup {
  return html`<span class="badge ${verdict}"><span aria-hidden="true">${SIGNS[verdict]}</span> ${verdict}</span>`
}

/** A part of the page that a run may have nothing for. */
type Part = 'limits' | 'rules' | 'slo' | 'feed' | 'latency'

const LOAD = 'This run offered a load, and judged it by its objectives.'
const CASE = 'This run played one case, and judged the rules of that alone.'

/** By job what is missing and where it is to be had; `*` stands for any other job. */
const NOTHING: Readonly<Record<Part, Readonly<Record<string, string>>>> = {
  limits: {
    smoke:
      'None of the rules that this run was asked for tests a limit. Without --rules a smoke run judges them all.',
    load: `${LOAD} The limits of the interface are probed by breakwater smoke.`,
    capacity: `${LOAD} The limits of the interface are probed by breakwater smoke.`,
    repro: `${CASE} The limits of the interface are probed by breakwater smoke.`,
    '*': 'This run judged rules of its own. The limits of the interface are probed by breakwater smoke.',
  },
  rules: {
    load: `${LOAD} The rules of the interface are probed by breakwater smoke.`,
    capacity: `${LOAD} The rules of the interface are probed by breakwater smoke.`,
    '*': 'This run judged no rule.',
  },
  slo: {
    smoke: 'No objectives: latency was not judged, as --no-load was given or the target allows no load.',
    repro: 'No objectives: a case is judged by its rules, whatever it takes.',
    run: 'No objectives: --slo names some to judge the run by.',
    '*': 'No objectives were named for this run.',
  },
  feed: {
    smoke: 'No client opened a socket: --rules left out what is probed on the live feed.',
    load: 'No client opened a socket: the mix has none that follows the live feed.',
    capacity: 'No client opened a socket: the mix has none that follows the live feed.',
    '*': 'No client opened a socket in this run.',
  },
  latency: {
    repro:
      'No request was measured: the case speaks on the live feed alone, or ended before its first request.',
    '*': 'No request was measured.',
  },
}

/** What stands where a part of the page has nothing to show. */
export function nothingOf(part: Part, job: string): Markup {
  const texts = new Map(Object.entries(NOTHING[part]))
  return html`<p class="nothing">${texts.get(job) ?? texts.get('*') ?? ''}</p>`
}
