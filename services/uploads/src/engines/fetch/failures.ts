/** Why an address is not fetched at all. */
export type Refusal = 'address' | 'private' | 'redirects' | 'size' | 'type'

/** What may not be fetched, whatever it would answer. */
export class FetchRefused extends Error {
  readonly reason: Refusal

  constructor(reason: Refusal) {
    super(`not fetched: ${reason}`)
    this.reason = reason
  }
}
