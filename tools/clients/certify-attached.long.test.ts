// The example clients, already running, are certified: `certify` without --client, as a newcomer follows the guide.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test as vitestTest } from 'vitest'
import type { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Examination } from '../../hunt/examination.ts'
import { statementSchema } from '../../hunt/statement.ts'
import { runCertify } from '../../scripts/commands/certify.ts'
import { projectPath } from '../../scripts/project.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { writtenIo } from '../test/written-io.ts'
import { BOT_FOLDER, botPython } from './python-environment.ts'

const python = await botPython({ env: process.env, onProgress: console.error }).catch(
  (error: BreakwaterError) => console.error(`${error.message}\n${error.hint}`),
)

const { faults } = faultPlanSchema.parse({
  description: 'of a test',
  faults: [{ fault: 'http-error', where: { routes: ['GET /fee-tiers'] } }],
})
const SHORT: Examination = [
  { name: 'calm', purpose: 'sign-in and rooms', durationMs: 10_000, faults: [] },
  { name: 'after a reset', purpose: 'the same, with new sessions', durationMs: 10_000, faults },
]

type Started = { command: string; args: string[]; cwd: string }
type Example = { name: string; rules: string; isReady: boolean; start(profile: string): Started }

const EXAMPLES: readonly Example[] = [
  {
    name: 'Node',
    // Signs in again after the reset.
    rules: 'client.message.exact,client.socket.authenticates-first,client.ticket.only',
    isReady: true,
    start: (profile) => ({
      command: process.execPath,
      args: ['--import', './tools/typescript.mjs', 'examples/clients/node/main.ts', profile],
      cwd: projectPath('.'),
    }),
  },
  {
    name: 'Python',
    rules: 'client.socket.authenticates-first,client.ticket.only',
    isReady: python !== undefined,
    start: (profile) => ({ command: String(python), args: ['bot.py', profile], cwd: BOT_FOLDER }),
  },
  {
    name: 'Python with a session',
    // Signs in again after the reset.
    rules: 'client.message.exact,client.rooms.own-balances',
    isReady: python !== undefined,
    start: (profile) => ({
      command: String(python),
      args: ['bot.py', profile, '--sign-in'],
      cwd: BOT_FOLDER,
    }),
  },
]

for (const { name, rules, isReady, start } of EXAMPLES)
  vitestTest.runIf(isReady)(
    `${name}: the printed profile and token are all that the client needs, and it is judged in every schedule`,
    { timeout: 120_000 },
    async () => {
      const cwd = temporaryFolder()
      const { io } = writtenIo()
      let token = ''
      const log = (line: string) => {
        token ||= /ss_[\w-]+/.exec(line)?.[0] ?? ''
        const [, profile] = /^profile.*: (.+)$/.exec(line) ?? []
        if (profile !== undefined) startClient(start(profile), token)
      }
      const exitCode = await runCertify(
        {
          ...{ io: { ...io, cwd, env: process.env, log }, clientName: 'example', port: 0, feedPort: 0 },
          ...{ parallel: 4, rules, output: 'certificate', world: 'tiny', seed: 7, choices: 'default' },
        },
        SHORT,
      )
      const statement = readFileSync(join(cwd, 'certificate', 'statement.json'), 'utf8')
      const { predicate } = statementSchema.parse(JSON.parse(statement))
      expect(predicate.schedules).toMatchObject([{ clientFailed: false }, { clientFailed: false }])
      // Once in each schedule, at least.
      expect(predicate.duties.filter(({ situations }) => situations < 2)).toEqual([])
      expect({ exitCode, findings: predicate.findings }).toEqual({ exitCode: 0, findings: [] })
    },
  )

function startClient({ command, args, cwd }: Started, token: string): void {
  const env = {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: '1',
    NO_PROXY: '127.0.0.1',
    BREAKWATER_API_TOKENS: token,
  }
  const client = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void client.kill('SIGKILL'))
}
