/** Why an address is not fetched at all. */
export type Refusal = 'address' | 'private' | 'redirects' | 'size' | 'type'

/** The address is not allowed, whatever its response would be. */
export class FetchRefused extends Error {
  readonly reason: Refusal

  constructor(reason: Refusal) {
    super(`not fetched: ${reason}`)
    this.reason = reason
  }
}
