import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startStub } from '../../simulator/stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

test.each([
  { argv: '--from 50 --to 20', says: '--from 50 is above --to 20' },
  { argv: '--min-rate 50 --to 20', says: '--min-rate 50 is above --to 20, the highest rate of the search' },
  { argv: '--stages nope', says: 'unknown stages file "nope"' },
  {
    argv: '--stages ramp --precision 0.1',
    says: '--precision cannot be used with --stages',
  },
  {
    argv: '--stages ramp --max-duration 10s',
    says: '--max-duration 10s: the stages of ramp take 150 s, including start and end',
  },
  { argv: '--mix nope', says: 'unknown mix "nope"' },
  { argv: '--slo nope.json', says: 'nope.json: cannot be read: there is no such file or folder' },
  { argv: '--k6-out nope', says: '--k6-out nope: unknown output "nope"' },
  { argv: '--target nope.json', says: 'nope.json: cannot be read: there is no such file or folder' },
  { argv: '--confirm here', says: '--confirm requires --target' },
  { argv: '--world nope', says: 'unknown world "nope"' },
  { argv: '--axis nope', says: '--axis: invalid value "nope"' },
  { argv: '--axis sockets --stages ramp', says: '--axis sockets cannot be used with --stages' },
  { argv: '--open-rate 50', says: '--open-rate requires an --axis other than rate' },
  { argv: '--axis sockets --mix reads --slo own', says: 'mix reads: no client follows the feed' },
  {
    argv: '--axis sockets --slo feed --to 150',
    says: '--axis sockets: 150 sockets are too few for p95 of all',
  },
  {
    argv: '--axis sockets --max-vus 10 --to 201',
    says: '--axis sockets: 201 sockets do not fit 10 VUs of 20 sockets (--max-vus)\n  At most 200 sockets fit.',
  },
  {
    argv: '--axis events --slo sockets --to 150',
    says: '--axis events: the objectives sockets have no limit of the feed delay\n  Use --slo events',
  },
  {
    argv: '--axis events --max-vus 10 --to 201',
    says: '--axis events: 201 sockets do not fit 10 VUs of 20 sockets (--max-vus)\n  At most 200 sockets fit.',
  },
  { argv: '--axis subscriptions --mix reads --slo own', says: 'mix reads: no client follows the feed' },
  {
    argv: '--axis subscriptions --from 640.5',
    says: '--from 640.5: expected a whole number of subscriptions',
  },
  {
    argv: '--axis subscriptions --to 600',
    says: '--axis subscriptions: 600 subscriptions on 19 sockets are too few for p50 of time to synchronize',
  },
  {
    argv: '--axis subscriptions --max-vus 10 --to 6401',
    says: '--axis subscriptions: 6401 subscriptions do not fit 10 VUs of 20 sockets (--max-vus)\n  At most 6400 subscriptions fit.',
  },
  { argv: '--axis slow-readers --mix reads --slo own', says: 'mix reads: no client follows the feed' },
  { argv: '--axis slow-readers --to 1.5', says: '--to 1.5: expected a whole number of slow readers' },
  {
    argv: '--axis slow-readers --max-vus 10 --to 181',
    says: '--axis slow-readers: 181 slow readers and 20 normal sockets do not fit 10 VUs of 20 sockets (--max-vus)\n  At most 180 slow readers fit.',
  },
  {
    argv: '--axis slow-readers --max-vus 1 --to 1',
    says: '--axis slow-readers: 1 slow readers and 20 normal sockets do not fit 1 VUs of 20 sockets (--max-vus)\n  At most 0 slow readers fit.',
  },
  { argv: '--recover-within 10s', says: '--recover-within requires --axis sockets' },
  { argv: '--axis events --recover-within 10s', says: '--recover-within requires --axis sockets' },
  {
    argv: '--axis sockets --recover-within 10s --slo own',
    says: '--slo cannot be used with --recover-within',
  },
  {
    argv: '--axis sockets --recover-within 10s --to 999',
    says: '--axis sockets: 999 sockets are too few for p99 of time to recover at most 10000 ms',
  },
  {
    argv: '--max-duration 10s --trial-duration 10s --from 20 --to 20',
    says: '--max-duration 10s: the first trial takes 17 s, including warm-up, start and end\n  Set --max-duration to at least 17s;',
  },
  {
    argv: '--max-requests 10',
    says: '--max-requests 10: the first trial sends about ',
  },
  {
    argv: '--axis sockets --recover-within 10s --max-duration 20s',
    says: '--max-duration 20s: the first trial takes ',
  },
  {
    argv: '--axis sockets --recover-within 300s',
    says: '--max-duration 300s: the first trial takes ',
  },
  { argv: '--axis events --max-requests 10', says: '--max-requests 10: the first trial sends about ' },
  { argv: '--rate 5', says: 'capacity: unknown option --rate' },
  { argv: '--image b:1', says: '--image requires --k8s' },
  {
    argv: '--cpu 2 --namespace n --start-timeout 5s',
    says: '--cpu, --start-timeout, --namespace require --k8s',
  },
  { argv: '--k8s', says: '--k8s requires --image' },
  { argv: '--k8s --image b:1', says: '--k8s requires --target' },
  { argv: '--k8s --image b:1 --target t.json --instances 2', says: '--k8s cannot be used with --instances' },
  { argv: '--k8s --image b:1 --world tiny', says: '--k8s cannot be used with --world' },
  { argv: '--k8s --image b:1 --target nope.json', says: 'nope.json: cannot be read' },
  { argv: '--k8s --image b:1 --parallelism 0', says: '--parallelism: invalid value "0"' },
])('rejects $argv, and leaves no run', async ({ argv, says }) => {
  const { exitCode, stderr, cwd } = await runCommandLine(['capacity', ...argv.split(' ')])
  expect(stderr).toContain(`breakwater: ${says}`)
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd)).toEqual([])
})

test.each([
  { axis: 'events', hint: '.' },
  { axis: 'subscriptions', hint: ', or use --slo with no limit of the feed delay.' },
])('--axis $axis requires the time of events', async ({ axis, hint }) => {
  const cwd = temporaryFolder()
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
  onTestFinished(() => stub.close())
  const { profile } = stub
  const choices = { ...profile.choices, eventTime: { ...profile.choices.eventTime, path: null } }
  writeFileSync(join(cwd, 't.json'), JSON.stringify({ ...profile, choices }))
  const argv = ['capacity', '--axis', axis, '--target', 't.json']
  const { exitCode, stderr } = await runCommandLine(argv, {
    cwd,
    env: { ...process.env, BREAKWATER_API_TOKENS: stub.apiTokens.join(',') },
  })
  expect(stderr).toBe(
    `breakwater: --axis ${axis}: the profile does not name the time field of events (choices.eventTime)\n` +
      `  Set choices.eventTime to the path and the format of the time in events${hint}\n`,
  )
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd)).toEqual(['t.json'])
})

test.each([
  { option: '--from', bad: ['0', '-1', 'x', '1e3', '1000001', ''], expected: 'a rate from 0.01 to 1000000' },
  { option: '--to', bad: ['0'], expected: 'a rate from 0.01 to 1000000' },
  { option: '--min-rate', bad: ['0'], expected: 'a rate from 0.01 to 1000000' },
  { option: '--precision', bad: ['0', '0.6', '5%'], expected: 'a share from 0.005 to 0.5' },
  {
    option: '--trial-duration',
    bad: ['1s', '2.5s'],
    expected: 'a duration from 2s to 1h in whole seconds, such as 5s',
  },
  {
    option: '--max-duration',
    bad: ['9s', '25h'],
    expected: 'a duration from 10s to 24h in whole seconds, such as 5m',
  },
  { option: '--max-requests', bad: ['9'], expected: 'a whole number from 10 to 999999999' },
  { option: '--max-vus', bad: ['0'], expected: 'a whole number from 1 to 100000' },
  { option: '--instances', bad: ['0', '65'], expected: 'a whole number from 1 to 64' },
])('$option accepts $expected', async ({ option, bad, expected }) => {
  for (const text of bad) {
    const { exitCode, stderr } = await runCommandLine(['capacity', `${option}=${text}`])
    expect(stderr).toContain(`: invalid value "${text}"\n  Expected ${expected}.`)
    expect(exitCode).toBe(2)
  }
})
