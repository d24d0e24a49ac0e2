/** A remark on a comparison that has a side of one run, where that was not asked for. */
export const HOW_SINGLE =
  'With --single one run is judged against one other, by how much their seconds differ.'
