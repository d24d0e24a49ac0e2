/** Waits for the user, or the system, to ask for the end. */
export async function untilInterrupted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((done) => {
    if (signal.aborted) done()
    signal.addEventListener('abort', () => done())
  })
}
