export const KIND_NAMES = ['profile', 'mix', 'slo', 'scenario'] as const

export type KindName = (typeof KIND_NAMES)[number]
