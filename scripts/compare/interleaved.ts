export type SideName = 'a' | 'b'

/**
 * Which side runs when: ABBA, over and over, so that what changes slowly, such as the heat of the machine, meets both
 * alike.
 */
export function interleaved(repeat: number): { side: SideName; number: number }[] {
  return Array.from({ length: repeat }, (_, index) => {
    const order: SideName[] = index % 2 === 0 ? ['a', 'b'] : ['b', 'a']
    return order.map((side) => ({ side, number: index + 1 }))
  }).flat()
}
