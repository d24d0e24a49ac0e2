import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

/** This machine by addresses that do not look like it; nothing listens there. */
const A = '[::ffff:7f00:1]'
const B = '[::ffff:7f00:2]'

test.each([
  {
    line: 'stub stub --confirm exchange.example',
    exitCode: 2,
    says: 'breakwater: --confirm names a host of a target, and both sides are the stub\n',
  },
  {
    line: 'a.json b.json --confirm exchange.example',
    exitCode: 2,
    says: `breakwater: --confirm exchange.example: the target is ${A}, ${B}\n`,
  },
  {
    line: `stub b.json --confirm ${A}`,
    exitCode: 2,
    says: `breakwater: --confirm ${A}: the target is ${B}\n`,
  },
  {
    line: `a.json b.json --confirm ${B}`,
    exitCode: 2,
    says: `breakwater: load is a load, and ${A}: the command line does not confirm a load (--confirm ${A})\n`,
  },
  {
    line: `a.json b.json --confirm ${A} --confirm ${B}`,
    exitCode: 3,
    says: `breakwater: a.json: the target does not answer: GET http://${A}:1/`,
  },
])('compare --run $line', async ({ line, exitCode, says }) => {
  const cwd = temporaryFolder()
  for (const [file, host] of Object.entries({ 'a.json': A, 'b.json': B })) {
    const [baseUrl, wsUrl] = [`http://${host}:1`, `ws://${host}:1`]
    writeFileSync(join(cwd, file), JSON.stringify({ name: file, baseUrl, wsUrl, allow: { load: true } }))
  }
  const argv = ['compare', '--run', '--rate', '5', ...line.split(' ')]
  const result = await runCommandLine(argv, { cwd })
  expect(result.stderr).toContain(says)
  expect(result.exitCode).toBe(exitCode)
})
