import { expect, test } from 'vitest'
import { CLIENT_RULES, type ClientRuleId } from '../../contract/client-rules.ts'
import type { HuntProgress, HuntReport } from '../../hunt/search.ts'
import { buildHuntReport, followHunt } from './follow-hunt.ts'

const GIVEN = { startedAt: new Date(0), command: "breakwater hunt --client 'node bot.mjs'" }
const RULE = 'client.429.waits'

const BEFORE: HuntReport = {
  seed: 7,
  schedules: 0,
  runs: 0,
  situations: 0,
  findings: [],
  duties: CLIENT_RULES.map(({ id }) => ({ rule: id as ClientRuleId, exercised: 0, violated: 0 })),
  cases: [],
}

const FOUND: HuntReport = {
  ...BEFORE,
  schedules: 6,
  runs: 18,
  situations: 4,
  findings: [
    {
      rule: RULE,
      client: 'wallet <b>2</b>',
      shape: 'again',
      observed: 'repeated <i>at once</i>',
      advice: 'Wait.',
      evidence: [],
      schedule: 5,
      minimum: {} as HuntReport['findings'][number]['minimum'], // as: the page does not show it
      reproduced: { times: 3, of: 3 },
      timeline: [],
      startedMs: 0,
    },
  ],
  duties: BEFORE.duties.map((duty) => (duty.rule === RULE ? { ...duty, exercised: 4, violated: 1 } : duty)),
}

const progress = (report: HuntReport, shrinking: ClientRuleId | null = null): HuntProgress => ({
  ...{ schedules: report.schedules, runs: report.runs, findings: report.findings.length },
  ...{ duties: report.duties.length, exercised: 0, shrinking },
  soFar: () => report,
})

test('the live view of a hunt shows its report so far, and then the whole report', async () => {
  const { add, end, look } = followHunt(GIVEN)
  expect(await look()).toMatchObject({ isOver: false, title: 'starting: Breakwater' })

  add(progress(BEFORE), 1000)
  const before = await look()
  expect(before).toMatchObject({ isOver: false, status: 'The hunt has not finished.' })
  expect(before.content).toContain(
    '0 findings in 0 schedules (0 runs); 31 client rules: 0 violated, 0 exercised without a violation, 31 not exercised.',
  )
  expect(await look()).toBe(before)

  add(progress(FOUND, RULE), 120_000)
  const during = await look()
  expect(during).toMatchObject({
    isOver: false,
    title: 'running: breakwater hunt',
    status: 'The hunt has not finished. It shrinks a violation of client.429.waits. 1 finding so far.',
  })
  expect(during.content).toContain('<header class="running">')
  expect(during.content).toContain('<bdi>3 schedules/min, 9 runs/min</bdi>')
  expect(during.content).toContain('<bdi>repeated &#60;i&#62;at once&#60;/i&#62;</bdi>')
  expect(during.content).toContain('Its case is saved when the hunt ends.')

  end(buildHuntReport(FOUND, { ...GIVEN, files: ['cases/a.json'] }))
  const after = await look()
  expect(after).toMatchObject({
    isOver: true,
    title: 'fail: breakwater hunt',
    status: 'The hunt has ended: fail. This page no longer changes.',
  })
  expect(after.content).toContain('<header class="fail">')
  expect(after.content).toContain('Its case is <code>cases/a.json</code>.')
  expect(after.content).not.toContain('schedules/min')
})
