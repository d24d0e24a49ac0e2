import { createRequire } from 'node:module'
import { readText } from './page-parts.ts'

const locate = createRequire(import.meta.url).resolve

/**
 * The script of uPlot, as a page carries it: after its licence, which asks to go with every copy. Throws where the package is
 * not installed whole.
 */
export function chartLibrary(): string {
  // A parser of HTML reads CR LF as LF: the page's policy, which has a hash of each script, would not fit.
  const licence = readText(locate('uplot/LICENSE')).replaceAll('\r\n', '\n').trim()
  return `/*! uPlot\n\n${licence}\n*/\n${readText(locate('uplot/dist/uPlot.iife.min.js'))}`
}
