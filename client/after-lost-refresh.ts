/**
 * After a 409, when another tab is refreshing: waits until that is done, so that the request that was refused is sent again
 * with the winner's cookies. Whoever takes it for a sign-out ends the session of all tabs. Nobody wins where the winner was
 * this tab itself, and its answer got lost.
 */
export async function afterLostRefresh(options: {
  /** Whether there was a winner. */
  untilWon: () => Promise<boolean>
  signIn: () => Promise<void>
}): Promise<void> {
  if (!(await options.untilWon())) await options.signIn()
}
