import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { projectPath } from './project.ts'

test('acts at a forced exit, except what was canceled; Node warns of no leak', () => {
  const code = `
    const { atExit } = await import(${JSON.stringify(projectPath('scripts/at-exit.ts'))})
    const fs = await import('node:fs')
    const cancel = Array.from({ length: 12 }, (_, number) => atExit(() => fs.writeSync(1, number + ' ')))
    cancel[3]()
    process.exit(7)`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', './tools/typescript.mjs', '--input-type=module', '--eval', code],
    { cwd: projectPath('.'), encoding: 'utf8' },
  )
  expect({ status, stdout, stderr }).toEqual({ status: 7, stdout: '0 1 2 4 5 6 7 8 9 10 11 ', stderr: '' })
})
