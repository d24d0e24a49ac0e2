import { createRequire } from 'node:module'
import { readText } from './page-parts.ts'

const locate = createRequire(import.meta.url).resolve

/** The script of uPlot, as a page carries it. Throws where the package is not installed whole. */
export function chartLibrary(): string {
  return licensed('uPlot.iife.min.js')
}

/** The styles that go with it. */
export function chartStyle(): string {
  return licensed('uPlot.min.css')
}

/** A file of the package, after its licence, which asks to go with every copy. */
function licensed(file: string): string {
  // A parser of HTML reads CR LF as LF: the page's policy, which has a hash of each script, would not fit.
  const licence = readText(locate('uplot/LICENSE')).replaceAll('\r\n', '\n').trim()
  return `/*! uPlot\n\n${licence}\n*/\n${readText(locate(`uplot/dist/${file}`))}`
}
