/** The sets of choices that the stub comes with: what the interface leaves open, decided in one way each. */
export const CHOICE_SET_NAMES = ['plain', 'odd', 'replicated'] as const

export type ChoiceSetName = (typeof CHOICE_SET_NAMES)[number]
