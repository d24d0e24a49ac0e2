import type { CompletedCommand } from './completion-model.ts'
import { NOTHING, type Source } from './value-sources.ts'

/** Sources by their numbers, each once; what is completed by nothing is 0. */
export function numberSources(commands: readonly CompletedCommand[]): {
  sources: readonly Source[]
  numberOf: (source: Source) => number
} {
  const all = commands.flatMap(({ options, arguments: list }) => [
    ...options.flatMap(({ value }) => value ?? []),
    ...list,
  ])
  const texts = [...new Set([NOTHING, ...all].map((source) => JSON.stringify(source)))]
  return {
    sources: texts.map((text) => JSON.parse(text)),
    numberOf: (source) => texts.indexOf(JSON.stringify(source)),
  }
}
