import { readText } from './page-parts.ts'

/** Each after what it needs while it is read. */
export const MODULES = [
  'texts',
  'ticks',
  'legend',
  'slider',
  'draw-chart',
  'time-axis',
  'latency-chart',
  'heat-chart',
  'line-chart',
  'step-chart',
  'groups',
  'printing',
  'main',
]

/** The modules in browser/ as one script, as a page that is one file can import none: their names must differ. */
export function browserScript(): string {
  const texts = MODULES.map((name) => readText(new URL(`browser/${name}.js`, import.meta.url)))
  const bodies = texts.map((text) =>
    text.replaceAll(/^import [^']*'.*'\n/gm, '').replaceAll(/^export /gm, ''),
  )
  return `;(() => {\n'use strict'\n${bodies.join('\n')}})()`
}
