import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProgram, foundOrSkipped } from '../../../tools/test/programs.ts'
import { runCommandLine } from '../../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { completionModel, SOURCES } from './completion-model.ts'

/** The cursor is at the end of each line. */
const LINES: readonly { line: string; offers: readonly string[] }[] = [
  { line: 'smo', offers: ['smoke'] },
  { line: 'smoke --wor', offers: ['--world'] },
  { line: 'smoke --world ca', offers: ['calm'] },
  { line: 'smoke --world mine', offers: ['mine.json'] },
  { line: 'smoke --choices ', offers: ['alternative', 'default', 'replicated'] },
  { line: 'smoke --seed 7 --choices a', offers: ['alternative'] },
  { line: 'smoke --rules ws.auth.tic', offers: ['ws.auth.ticket'] },
  { line: 'repro ', offers: ['list', 'run', 'show'] },
  { line: 'repro run refresh-race-t', offers: ['refresh-race-two-tabs'] },
  {
    line: 'repro run refresh-race-two-tabs --mutant ws-33',
    offers: ['ws-33-rooms', 'ws-33-rooms-again', 'ws-33-rooms-later'],
  },
  { line: '--quiet runs p', offers: ['prune', 'push'] },
  { line: 'runs run', offers: ['runs/'] },
  { line: 'merge runs ru', offers: ['runs/'] },
  { line: 'init sce', offers: ['scenario'] },
  { line: 'init scenario ', offers: [] },
  { line: 'up --feed-p', offers: ['--feed-port'] },
  { line: 'help rep', offers: ['report', 'repro'] },
  { line: 'completion z', offers: ['zsh'] },
  { line: 'smoke --target with', offers: ['with space.json'] },
]

/** Programs that take the script and the lines, and print the candidates. */
const PRINT_CANDIDATES = {
  bash: `source "$1"; shift
for line in "$@"; do
  read -ra COMP_WORDS <<<"$line"
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _breakwater
  echo "== $line"
  for reply in "\${COMPREPLY[@]}"; do [[ -d $reply ]] && reply+=/; printf '%s\\n' "$reply"; done
done`,
  // Prints what the script passes to zsh, not how zsh shows it.
  zsh: `compdef() { : }
cursor() { [[ $1 == \${words[CURRENT]}* ]] && print -r -- $1 }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; for word in "$@"; do cursor $word; done }
_files() { for file in *(N); do if [[ -d $file ]]; then cursor $file/; elif [[ $1 != -/ ]]; then cursor $file; fi; done }
source $1; shift
for line in "$@"; do
  words=("\${(@s: :)line}") CURRENT=$#words
  print "== $line"
  _breakwater
done`,
  fish: `source $argv[1]
for line in $argv[2..-1]
  echo "== $line"
  complete -C "$line" | string replace -r '\\t.*' ''
end
true`,
} as const

const FLAGS = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['-N', '-c'] } as const
/** bash and zsh take a $0 before the arguments. */
const BEFORE = { bash: ['bash'], zsh: ['zsh'], fish: [] } as const

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  const program = foundOrSkipped(findProgram([shell], process.env), {
    what: shell,
    remedy: `apt-get install ${shell}`,
    env: process.env,
    tell: (text) => process.stderr.write(text),
  })

  test.runIf(program)(`${shell} offers what can come next`, async () => {
    const folder = temporaryFolder()
    const script = join(temporaryFolder(), 'script')
    for (const file of ['mine.json', 'with space.json']) writeFileSync(join(folder, file), '')
    mkdirSync(join(folder, 'runs'))
    const { stdout, exitCode } = await runCommandLine(['completion', shell])
    expect(exitCode).toBe(0)
    writeFileSync(script, stdout)

    const lines = LINES.map(({ line }) => `breakwater ${line}`)
    const args = [...FLAGS[shell], PRINT_CANDIDATES[shell], ...BEFORE[shell], script, ...lines]
    const output = execFileSync(program ?? shell, args, { cwd: folder, encoding: 'utf8' })
    const offered = output
      .split('== ')
      .slice(1)
      .map((part) => part.trimEnd().split('\n').slice(1).sort())
    expect(offered.map((offers, index) => ({ line: LINES[index]?.line, offers }))).toEqual(LINES)
  })
}

test('offers every command, and every option of each with --help', () => {
  const model = completionModel()
  const outer = model.find(({ path }) => path === '')
  expect(outer?.commands.map(({ name }) => name)).toContain('completion')
  expect(model.length).toBeGreaterThan(20)
  for (const { path, options } of model) {
    const names = options.flatMap((option) => option.names)
    expect(names, path).toContain('--help')
    expect(names, path).toContain('--quiet')
    expect(new Set(names).size, path).toBe(names.length)
  }
})

test('no word needs quotes in a shell, except for the star of a glob', () => {
  const words = completionModel().flatMap(({ options, arguments: list }) =>
    [...options.flatMap(({ value }) => value ?? []), ...list].flatMap((source) => source.words),
  )
  expect(words.filter((word) => !/^[A-Za-z0-9._*-]+$/.test(word))).toEqual([])
})

test('each source belongs to an existing option or argument', () => {
  const model = completionModel()
  const known = new Set(
    model.flatMap(({ path, options }) =>
      options.flatMap(({ names: [name = ''], value }) => (value === null ? [] : [name, `${path} ${name}`])),
    ),
  )
  const lost = Object.keys(SOURCES).filter((name) => !name.endsWith('>') && !known.has(name))
  expect(lost).toEqual([])
})

test.each([
  { argv: ['completion'], says: /completion: missing argument: shell/ },
  { argv: ['completion', 'csh'], says: /Expected bash, zsh or fish\./ },
])('rejects `breakwater $argv`', async ({ argv, says }) => {
  const { exitCode, stderr, stdout } = await runCommandLine(argv)
  expect(stderr).toMatch(says)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
})
