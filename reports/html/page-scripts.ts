import { createRequire } from 'node:module'
import { pageStyles, readText } from './markup.ts'

/** Styles and scripts of a page with charts. `entry` is the last module of its script. */
export function reportStyles(): string[] {
  return [licensed('uPlot.min.css'), ...pageStyles(), readAsset('charts.css'), readAsset('histories.css')]
}

export function reportScripts(entry: Entry): string[] {
  return [
    chartLibrary(),
    browserScript(entry),
    ...['rules-filter.js', 'table-roles.js', 'open-for-print.js'].map(readAsset),
  ]
}

function readAsset(file: string): string {
  return readText(new URL(file, import.meta.url))
}

/** The page of a run, and the live view of a run. */
export const ENTRIES = ['main', 'live'] as const

type Entry = (typeof ENTRIES)[number]

/** In dependency order, because a module is evaluated when it is read. An entry follows. */
export const MODULES = ['texts', 'legend', 'draw-chart', 'time-axis', 'heat-chart', 'charts']

/**
 * The modules of browser/ as one script, because a single-file page cannot import. Top-level names must be unique
 * across them.
 */
export function browserScript(entry: Entry): string {
  const texts = [...MODULES, entry].map((name) => readText(new URL(`browser/${name}.js`, import.meta.url)))
  const bodies = texts.map((text) =>
    text.replaceAll(/^import [^']*'.*'\n/gm, '').replaceAll(/^export /gm, ''),
  )
  return `;(() => {\n'use strict'\n${bodies.join('\n')}})()`
}

const locate = createRequire(import.meta.url).resolve

/** The uPlot script. Throws if the package is incomplete. */
export function chartLibrary(): string {
  return licensed('uPlot.iife.min.js')
}

/** A file of the package, preceded by its license, which must be included in every copy. */
function licensed(file: string): string {
  // HTML parsers read CR LF as LF, which would invalidate the hash of the script in the page's policy.
  const license = readText(locate('uplot/LICENSE')).replaceAll('\r\n', '\n').trim()
  return `/*! uPlot\n\n${license}\n*/\n${readText(locate(`uplot/dist/${file}`))}`
}
