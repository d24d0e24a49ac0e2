import { type Command, Option } from 'commander'
import { EXIT } from '../../contract/breakwater-error.ts'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { seed, wholeNumber } from './option-values.ts'
import { loadOption } from './shared-options.ts'

const BLOCKS_MAX = 999_999_999

/** `breakwater chain`. */
export function chainCommand(chain: Command, io: Io, done: Done): void {
  chain
    .description('run the simulated chain alone')
    .option('--world <name>', 'a world of fixtures/worlds, or a file of your own', 'calm')
    .option('--seed <number>', 'decides everything', seed, 1)
    .addOption(loadOption())
    .option('--blocks <number>', 'how many blocks to mine', wholeNumber(BLOCKS_MAX), 1000)
    .addOption(
      new Option('--check <blocks>', 'check the invariants every so many blocks, and at the end')
        .argParser(wholeNumber(BLOCKS_MAX, { min: 1 }))
        .conflicts('load'),
    )
    .option('--events <file>', 'write every event and every refusal, a JSON object a line')
    .option('--dump <file>', 'write the world as it stands at the end')
    .option('--json', 'print one JSON object')
    .action(async (options) => {
      await (await import('../commands/chain.ts')).runChain({ ...options, io })
      done(EXIT.ok)
    })
}
