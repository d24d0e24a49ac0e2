import { html, type Markup } from './markup.ts'

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
