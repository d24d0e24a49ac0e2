/** Source of docs/reference/exit-codes.md and of the exit codes in docs/reference/cli.md. */
import type { EXIT } from '../../contract/breakwater-error.ts'

type Meanings = Readonly<Partial<Record<keyof typeof EXIT, string>>>

export const EXIT_MEANINGS = {
  ok: 'success: everything passed, or the command did its work',
  failed:
    'a rule or an objective failed, the target did not reach a required rate, or a comparison found a regression',
  usage:
    'usage: a bad option or file. Nothing was run; the message names the option, or the file and the path in it',
  environment:
    'environment: k6 is missing and cannot be built, k6 crashed, the target or its feed is unreachable, a port is in use, standard output or a file cannot be written, or nothing could be judged',
  inconclusive:
    'inconclusive: too little could be judged for `--strict`, `--min-judged`, `capacity --min-rate` or `certify`',
  interrupted: 'interrupted, at any time; the report of a run is still written',
} as const satisfies Record<keyof typeof EXIT, string>

const JUDGED: Meanings = {
  ok: 'every rule and objective that could be judged passed',
  failed: 'a rule or an objective failed',
  inconclusive: 'with `--strict`: a selected rule or objective is inconclusive or skipped',
}

const NOT_WORKING =
  'the client does not work in a run without faults, so nothing was judged: it failed, sent nothing, requested only unknown paths, kept a core busy or flooded the stub'

const LOAD_OK =
  'no objective was missed; some may be inconclusive, such as a percentile of too few requests, or all if the load generator saturated'

const OR_WORSE = 'or the run is worse than `--baseline`'

/** Meanings that differ by command. Every command can also exit with usage, environment and interrupted. */
export const COMMAND_EXITS: Readonly<Record<string, Meanings>> = {
  smoke: {
    ...JUDGED,
    failed: `a rule or an objective failed, ${OR_WORSE}`,
    inconclusive:
      'with `--strict`: a selected rule or objective is inconclusive or skipped; with `--min-judged`: fewer rules were judged',
  },
  run: JUDGED,
  repro: { ok: 'the case was written' },
  'repro list': { ok: 'the cases were listed' },
  'repro show': { ok: 'the case was shown' },
  'repro run': {
    ...JUDGED,
    ok: 'every rule of the case that could be judged passed; with `--client`: the violation did not appear',
    failed: 'a rule of the case failed: the bug was reproduced',
  },
  explore: {
    ok: 'no violation was confirmed; with `--case`: the violation did not appear',
    failed: 'a violation was confirmed; with `--case`: it still appears',
    inconclusive: 'no sequence could be judged, or the target stopped responding',
  },
  hunt: {
    ok: 'the client violated no rule, and no earlier case still shows its violation',
    failed: 'the client violated a rule, or an earlier case still shows its violation',
    environment: NOT_WORKING,
  },
  certify: {
    ok: 'every selected rule was exercised, and the client passed it',
    failed: 'the client violated a selected rule',
    environment: NOT_WORKING,
    inconclusive: 'no selected rule was violated, but one was not exercised: the statement is incomplete',
  },
  capacity: {
    ok: 'a rate meets the objectives, and so does the rate of `--min-rate`, if given; or, without `--strict`, no rate was confirmed',
    failed: `the lowest rate or a required rate misses the objectives, a rule of histories failed, ${OR_WORSE}`,
    environment:
      'k6 or the target is not available, or no trial could be judged; with `--k8s`: the cluster or the operator failed, or no runner measured anything',
    inconclusive:
      'with `--min-rate`: undecided whether the target reaches the rate; with `--strict`: no confirmed rate was found, or a rule of histories is inconclusive',
  },
  load: {
    ok: LOAD_OK,
    failed: `an objective was missed, a rule of histories failed, ${OR_WORSE}`,
    environment: 'k6 or the target is not available, or no objective could be judged',
    inconclusive: 'with `--strict`: an objective or a rule of histories is inconclusive',
  },
  'faults apply': { ok: 'the plan is active' },
  'faults list': { ok: 'the active faults were listed' },
  'faults export': { ok: 'the decisions were printed or written' },
  'faults clear': { ok: 'no fault is active' },
  init: { ok: 'the files were written' },
  stub: { ok: 'stopped by SIGTERM', interrupted: 'stopped by Ctrl-C, the usual way' },
  observe: { ok: 'no client violated a rule', failed: 'a client violated a rule' },
  chain: { ok: 'the blocks were mined', failed: 'with `--check`: an invariant is violated' },
  report: {
    ...JUDGED,
    ok: 'every rule and objective that could be judged passed; with `--live`: stopped by SIGTERM',
    inconclusive:
      'if the run had `--strict`, `--min-judged` or `--min-rate`: too little could be judged for that option',
    interrupted: 'interrupted; with `--live`: stopped by Ctrl-C, the usual way',
  },
  compare: {
    ok: 'no regression was found',
    failed: 'B is worse than A',
    environment: 'nothing could be compared, or there is no baseline',
    inconclusive: 'with `--until-sure`: stopped before B was shown to be worse, better or equivalent',
  },
  'runs list': { ok: 'the runs were listed' },
  'runs prune': { ok: 'the selected runs were removed', environment: 'a run could not be removed' },
  'runs push': { ok: 'the history has all runs' },
  trend: {
    ok: 'no group has a regression as its last confirmed change, or none after `--since`',
    failed:
      'the last confirmed change of a group is a regression; with `--since`: any confirmed regression after that release',
  },
  merge: {
    ...JUDGED,
    inconclusive: 'if one of the runs had `--strict`: a rule or an objective is inconclusive or skipped',
  },
  'k8s run': {
    ok: LOAD_OK,
    failed: `an objective was missed, ${OR_WORSE}`,
    environment:
      'the cluster or the operator failed, a runner crashed, the target does not respond to the runners, or no objective could be judged',
    inconclusive: 'with `--strict`: an objective is inconclusive',
  },
  'k8s collect': {
    ok: LOAD_OK,
    failed: 'an objective was missed',
    environment:
      'the run does not exist, a runner crashed, its measurements are lost, or no objective could be judged',
    inconclusive: 'if the run had `--strict`: an objective is inconclusive',
  },
  'k8s render': { ok: 'the objects were printed' },
  'k8s stub': { ok: 'the objects were printed' },
  doctor: {
    ok: 'no problems, possibly warnings',
    environment: 'at least one problem; with `--sign-in`: also if the sign-in is not allowed',
  },
  completion: { ok: 'the script was printed' },
  help: { ok: 'help was shown' },
}
