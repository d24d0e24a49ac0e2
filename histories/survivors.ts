import { isAccepted, type Operation } from '../contract/history.ts'
import type { Contradiction } from './check-history.ts'
import { SESSION_RULES, TOKEN_RULES } from './models.ts'
import type { History } from './read-log.ts'

/** The rules that a reset of the target would break, too: it ends all credentials at once. */
const ENDS_EARLY: ReadonlySet<string> = new Set([SESSION_RULES.lasts, TOKEN_RULES.lasts])

/** A credential that ended without a cause. */
type Death = {
  contradiction: Contradiction
  wallet: number | null
  family: string
  startUs: number
  atUs: number
}

/**
 * Distinguishes a target that ends one credential from a target that was reset, redeployed without its state, or that
 * drops the oldest credential of a wallet: then no older credential of the wallet works afterwards.
 */
export function createSurvivors() {
  const deaths: Death[] = []
  const certain = new Set<Contradiction>()
  const seen = new Map<string, Death[]>()
  return {
    /** Call for each history with its contradictions, in the first pass. */
    suspect({ family, operations }: History, contradictions: readonly Contradiction[]): void {
      for (const contradiction of contradictions) {
        if (!ENDS_EARLY.has(contradiction.rule) || contradiction.reason !== null) continue
        const rejected = contradiction.operations.findLast(({ status }) => status === 401)
        const death: Death = {
          contradiction,
          family,
          wallet: findWallet(operations),
          startUs: operations[0]?.call ?? 0,
          atUs: rejected?.return ?? 0,
        }
        deaths.push(death)
        // After a reset, it would not work again.
        if ((operations.findLast(isServed)?.call ?? 0) > death.atUs) certain.add(contradiction)
        const name = `${family} ${death.wallet}`
        seen.set(name, [...(seen.get(name) ?? []), death])
      }
    },
    isNeeded: () => deaths.length > 0,
    /** Call for each history, in a second pass. */
    see({ family, operations }: History): void {
      const [first] = operations
      const those = seen.get(`${family} ${findWallet(operations)}`)
      if (first === undefined || those === undefined) return
      const lastServedUs = operations.findLast(isServed)?.call ?? 0
      for (const { contradiction, wallet, startUs, atUs } of those) {
        if (wallet !== null && first.return < startUs && lastServedUs > atUs) certain.add(contradiction)
      }
    },
    /** Returns why a contradiction is not certain, or null. */
    findDoubt(contradiction: Contradiction): string | null {
      if (certain.has(contradiction)) return null
      const [fromUs, toUs] = spanOf(contradiction.operations)
      const isSpanned = deaths.some(
        ({ contradiction: other, atUs }) => !certain.has(other) && fromUs <= atUs && atUs <= toUs,
      )
      return isSpanned
        ? 'a session or an API token ended without a cause, and no older one of its wallet was served later: the target may have been reset'
        : null
    },
  }
}

function isServed({ kind, status }: Operation): boolean {
  return (kind === 'U' || kind === 'T') && isAccepted(status)
}

function findWallet(operations: readonly Operation[]): number | null {
  return operations.find(({ kind }) => kind === 'S' || kind === 'C')?.argument ?? null
}

function spanOf(operations: readonly Operation[]): [fromUs: number, toUs: number] {
  const ends = operations.map((operation) => operation.return).filter(Number.isFinite)
  return [Math.min(...operations.map(({ call }) => call)), Math.max(...ends)]
}
