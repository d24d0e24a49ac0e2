import type { StagesProfile } from '../../contract/stages.ts'

/** A stage as a trial: of one that ramps, `rateFrom` is where it begins; of one that holds a rate, null. */
export type StageTrial = { phase: 'stage'; rateFrom: number | null; rate: number; seconds: number }

/** The stages, each to be judged by itself. */
export function stageTrials({ rateFrom, stages }: StagesProfile): StageTrial[] {
  let before = rateFrom ?? stages[0]?.rate
  return stages.map(({ rate, seconds }) => {
    const ramps = before !== undefined && before !== rate
    const trial: StageTrial = { phase: 'stage', rateFrom: ramps ? (before ?? null) : null, rate, seconds }
    before = rate
    return trial
  })
}

/** The same profile with its highest rate at `rateMax`, and all others in proportion. */
export function scaleStages(profile: StagesProfile, rateMax: number): StagesProfile {
  const { rateFrom, stages } = profile
  const factor = rateMax / Math.max(rateFrom ?? 0, ...stages.map(({ rate }) => rate))
  return {
    ...profile,
    ...(rateFrom === undefined ? {} : { rateFrom: rateFrom * factor }),
    stages: stages.map(({ seconds, rate }) => ({ seconds, rate: rate * factor })),
  }
}
