import { BreakwaterError } from '../../contract/breakwater-error.ts'

export type WorldErrorCode =
  | 'argument_invalid'
  | 'snapshot_unknown'
  | 'snapshots_full'
  | 'reorg_too_deep'
  | 'dump_foreign'
  | 'dump_version'
  | 'dump_damaged'

/** Why a world does not do what it is told; nothing has changed. */
export class WorldError extends BreakwaterError {
  readonly code: WorldErrorCode

  constructor(code: WorldErrorCode, message: string, options: { hint: string; cause?: unknown }) {
    super(message, options)
    this.name = 'WorldError'
    this.code = code
  }
}
