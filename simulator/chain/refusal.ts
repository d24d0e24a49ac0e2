/** Why a program refuses a transaction; it throws before it has changed anything. */
export class Refusal extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'Refusal'
  }
}
