import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { RULES } from '../../contract/rules.ts'
import { MUTANTS } from '../../simulator/mutants/mutants.ts'
import { worldNames } from '../../simulator/world-fixture.ts'
import { faultPlanNames } from '../load-faults.ts'
import { mixNames } from '../load-mix.ts'
import { stageNames } from '../load-stages.ts'
import { namesIn } from '../read-named-file.ts'
import { caseNames } from '../repro/load-case.ts'

/** What a word may be: one of some words, a file, a folder; any of these, or none that is known. */
export type Source = {
  words: readonly string[]
  paths: 'files' | 'folders' | 'none'
}

export const NOTHING: Source = { words: [], paths: 'none' }
const FILES: Source = { words: [], paths: 'files' }
const FOLDERS: Source = { words: [], paths: 'folders' }

/** Those that there are, or a file of the user's own. */
const named = (words: readonly string[]): Source => ({ words, paths: 'files' })

/** Each rule, and globs that take those whose ids begin alike. */
const rules = (list: readonly { id: string }[], { parts }: { parts: number }): Source => {
  const ids = list.map(({ id }) => id)
  const groups = ids.map((id) => `${id.split('.').slice(0, parts).join('.')}.*`)
  return { words: [...new Set(groups), ...ids], paths: 'none' }
}

/**
 * By the option, or by the argument as `command <name>`; where one of several commands differs, by `command --option`. What
 * has choices is completed by those, and needs no line here.
 */
export const SOURCES: Readonly<Record<string, () => Source>> = {
  '--world': () => named(worldNames()),
  '--mix': () => named(mixNames()),
  '--slo': () => named(namesIn('fixtures/slos')),
  '--stages': () => named(stageNames()),
  '--faults': () => named(faultPlanNames()),
  'faults apply <plan>': () => named(faultPlanNames()),
  '--mutant': () => ({ words: MUTANTS.map(({ name }) => name), paths: 'none' }),
  '--rules': () => rules(RULES, { parts: 1 }),
  'observe --rules': () => rules(CLIENT_RULES, { parts: 2 }),
  'repro show <case>': () => named(caseNames()),
  'repro run <case>': () => named(caseNames()),
  '--format': () => ({ words: ['html', 'json', 'junit', 'md'], paths: 'none' }),
  ...Object.fromEntries(
    ['--target', '--waivers', '--load', '--profile', '--junit', '--events', '--dump', 'run <file>'].map(
      (name) => [name, () => FILES],
    ),
  ),
  'compare <a>': () => FILES,
  'compare <b>': () => FILES,
  ...Object.fromEntries(
    [
      '--out',
      '--baseline',
      'repro --run',
      'report <run>',
      'merge <dir>',
      'runs list <dir>',
      'runs prune <dir>',
    ].map((name) => [name, () => FOLDERS]),
  ),
}
