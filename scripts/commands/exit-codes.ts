/** What exit codes say: of all commands, and of each. docs/exit-codes.md and docs/cli.md are made from it. */
import type { EXIT } from '../../contract/breakwater-error.ts'

type Meanings = Readonly<Partial<Record<keyof typeof EXIT, string>>>

/** Of any command. */
export const EXIT_MEANINGS = {
  ok: 'all held, or what was asked for is done',
  failed:
    'a rule or an objective failed, a rate that was required was shown not to be reached, or a comparison found something worse',
  usage:
    'usage: a bad option or file. Nothing was run; the message names the option, or the file and the path in it',
  environment:
    'the environment: k6 missing and not to be built, target or its feed unreachable, port taken, k6 broken, standard output or a named file not to be written, nothing could be judged',
  inconclusive:
    'too little could be judged for what `--strict`, `--min-judged` or `capacity --require` asked',
  interrupted: 'interrupted, at whatever moment; the report of a run is written all the same',
} as const satisfies Record<keyof typeof EXIT, string>

const JUDGED: Meanings = {
  ok: 'every rule and objective that could be judged held',
  failed: 'a rule or an objective failed',
  inconclusive: 'with `--strict`: something that was selected is inconclusive or skipped',
}

const ORWORSE = 'or `--baseline` shows the run to be worse'

/** What is particular to a command; it can end with usage, environment and interrupted too, as any can. */
export const COMMAND_EXITS: Readonly<Record<string, Meanings>> = {
  smoke: {
    ...JUDGED,
    failed: `a rule or an objective failed, ${ORWORSE}`,
    inconclusive:
      'with `--strict`: something that was selected is inconclusive or skipped; with `--min-judged`: fewer rules were judged',
  },
  run: JUDGED,
  repro: { ok: 'the case is written' },
  'repro list': { ok: 'the cases are listed' },
  'repro show': { ok: 'the case is told' },
  'repro run': {
    ...JUDGED,
    ok: 'what the case judges held',
    failed: 'a rule of the case failed: the bug is there',
  },
  capacity: {
    ok: 'a rate meets the objectives, and with `--require` the one required does; or it was not confirmed',
    failed: `the lowest rate misses the objectives, a rate that was required does, ${ORWORSE}`,
    inconclusive:
      'with `--require`: not shown whether the rate is reached; with `--strict`: not found and confirmed',
  },
  load: {
    ok: 'the objectives held, or could not be judged',
    failed: `an objective was missed, ${ORWORSE}`,
    inconclusive: 'with `--strict`: an objective is inconclusive',
  },
  'faults apply': { ok: 'the plan is in force' },
  'faults list': { ok: 'what is in force is told' },
  'faults clear': { ok: 'no fault is in force' },
  init: { ok: 'the files are written' },
  stub: { ok: 'ended by SIGTERM', interrupted: 'ended by Ctrl-C, which is how it ends' },
  observe: { ok: 'no client broke a rule', failed: 'a client broke a rule' },
  chain: { ok: 'the blocks are mined', failed: 'with `--check`: an invariant does not hold' },
  report: JUDGED,
  compare: {
    ok: 'nothing is shown to be worse',
    failed: 'something is worse',
    environment: 'nothing could be compared, or no baseline is there',
  },
  'runs list': { ok: 'the runs are listed' },
  'runs prune': { ok: 'what was to go has gone', environment: 'a run could not be removed' },
  merge: JUDGED,
  'k8s run': {
    ok: 'the objectives held, or could not be judged',
    failed: `an objective was missed, ${ORWORSE}`,
    environment:
      'cluster or operator did not do their part, a runner broke, or the target does not answer the runners',
    inconclusive: 'with `--strict`: an objective is inconclusive',
  },
  'k8s gather': {
    ok: 'the objectives held, or could not be judged',
    failed: 'an objective was missed',
    environment: 'there is no such run, a runner broke, or what was measured is gone',
    inconclusive: 'where the run had `--strict`: an objective is inconclusive',
  },
  'k8s render': { ok: 'the objects are printed' },
  'k8s stub': { ok: 'the objects are printed' },
  'k8s collect': { ok: 'ended by SIGTERM', interrupted: 'ended by Ctrl-C' },
  doctor: { ok: 'no problem, though there may be warnings', environment: 'there is a problem' },
  completion: { ok: 'the script is printed' },
  help: { ok: 'help is shown' },
}
