import type { StagesProfile } from '../../contract/stages.ts'

/** `rateFrom` is the start of a ramp; null for a constant rate. */
type StageTrial = { phase: 'stage'; rateFrom: number | null; rate: number; seconds: number }

/** Each stage becomes a trial, judged on its own. */
export function stageTrials({ rateFrom, stages }: StagesProfile): StageTrial[] {
  let before = rateFrom ?? stages[0]?.rate
  return stages.map(({ rate, seconds }) => {
    const ramps = before !== undefined && before !== rate
    const trial: StageTrial = { phase: 'stage', rateFrom: ramps ? (before ?? null) : null, rate, seconds }
    before = rate
    return trial
  })
}

/** Scales all rates so that the highest is `rateMax`. */
export function scaleStages(profile: StagesProfile, rateMax: number): StagesProfile {
  const { rateFrom, stages } = profile
  const factor = rateMax / Math.max(rateFrom ?? 0, ...stages.map(({ rate }) => rate))
  return {
    ...profile,
    ...(rateFrom === undefined ? {} : { rateFrom: rateFrom * factor }),
    stages: stages.map(({ seconds, rate }) => ({ seconds, rate: rate * factor })),
  }
}
