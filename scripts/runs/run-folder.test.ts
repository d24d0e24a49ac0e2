import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { readRun } from '../../reports/run-file.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import type { Plan } from './plan.ts'
import { makeRunDir, openRunFolder, requireFreeOutput } from './run-folder.ts'
import { withRun } from './with-run.ts'
import type { Worlds } from './worlds.ts'

const make = (cwd: string) => makeRunDir({ job: 'smoke', out: 'out', cwd, now: new Date() })

test.each(['new', 'empty'])('of concurrent runs in one %s folder, one gets it', async (kind) => {
  const cwd = temporaryFolder()
  if (kind === 'empty') mkdirSync(join(cwd, 'out'))
  const made = await Promise.allSettled(Array.from({ length: 20 }, () => make(cwd)))
  const refused = made.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(19)
  expect(refused[0]).toMatchObject({
    reason: {
      message: 'out: another command is about to write into it',
      hint: 'Name another folder with --output. If no other command is running, it was killed: remove out/.claim.',
      exitCode: 2,
    },
  })
})

test('a released claim leaves nothing, and the new run keeps others out', async () => {
  const cwd = temporaryFolder()
  const { release, file } = await make(cwd)
  writeFileSync(file('run.json'), '')
  await release()
  await expect(make(cwd)).rejects.toMatchObject({
    message: 'out: the folder is not empty, and runs never overwrite files',
  })
  expect(readdirSync(join(cwd, 'out'))).toEqual(['run.json'])
})

test('checks --output early and leaves nothing', async () => {
  const cwd = temporaryFolder()
  await requireFreeOutput('new/deep', cwd)
  expect(readdirSync(cwd)).toEqual([])
  writeFileSync(join(cwd, 'file'), '')
  await expect(requireFreeOutput('.', cwd)).rejects.toMatchObject({
    message: '.: the folder is not empty, and runs never overwrite files',
    exitCode: 2,
  })
  await expect(requireFreeOutput('file/deep', cwd)).rejects.toMatchObject({
    message: `${join(cwd, 'file')}: is a file, not a folder`,
  })
})

const PLAN = { job: 'smoke', out: null, seed: 7, strict: false, command: 'breakwater smoke', rules: [] }

test('records which choices the profile of a target has', async () => {
  const profile = (choices: object, name = 'x') =>
    profileSchema.parse({ name, baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1', choices })
  const record = async (target: ReturnType<typeof profile> | null) => {
    const opened = await openRunFolder(
      {
        ...PLAN,
        world: 'tiny',
        choices: 'default',
        mutant: null,
        target: target && { profile: target },
      } as unknown as Plan, // as: all that is recorded
      {
        io: { cwd: temporaryFolder(), interrupted: new AbortController().signal, stderr() {} },
        profile: { ...profile({}), control: null },
        k6Version: '2.2.0',
        now: new Date(),
      },
    )
    return (await readRun(opened.dir)).profileChoices
  }
  const first = await record(profile({ cookies: { access: 'a' } }))
  expect(first).toMatch(/^[0-9a-f]{16}$/)
  expect(await record(profile({ cookies: { access: 'a' } }, 'other'))).toBe(first)
  expect(await record(profile({ cookies: { access: 'b' } }))).not.toBe(first)
  expect(await record(null)).toBeUndefined()
  const { choices, ...rest } = profile({ cookies: { access: 'a' } })
  const reversed = Object.fromEntries(Object.entries(choices).reverse()) as typeof choices // as: the same keys
  expect(await record({ ...rest, choices: reversed })).toBe(first)
})

test('an error ends a run as failed, unless it is already finished', async () => {
  const cwd = temporaryFolder()
  const endOf = async (out: string, ended: 'finished' | 'running') => {
    const plan = { ...PLAN, out, world: 'tiny', choices: 'default', mutant: null, target: null }
    const run = withRun(
      {
        io: { ...writtenIo().io, cwd },
        plan: async () => plan as unknown as Plan, // as: all that is recorded
        readyGenerator: async () => ({ version: '2.2.0' }),
        openWorlds: async () => {
          const profile = profileSchema.parse({
            name: 'x',
            baseUrl: 'http://127.0.0.1:1',
            wsUrl: 'ws://127.0.0.1:1',
          })
          return { byName: {}, profile, ca: null, close: async () => {} } as unknown as Worlds // as: all that is used
        },
      },
      async ({ openFolder }) => {
        const folder = await openFolder()
        const end = { exitCode: 0, reason: 'finished', meaning: 'finished', finishedAtMs: 1 } as const
        if (ended === 'finished') await folder.finish(end)
        throw new Error('no space left')
      },
    )
    await expect(run).rejects.toThrow('no space left')
    const { state, k6 } = await readRun(join(cwd, out))
    return { state, meaning: k6?.meaning }
  }
  expect(await endOf('one', 'running')).toEqual({ state: 'failed', meaning: 'no space left' })
  expect(await endOf('two', 'finished')).toEqual({ state: 'finished', meaning: 'finished' })
})
