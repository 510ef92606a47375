/** The reason why an address is not fetched. */
export type Refusal = 'address' | 'private' | 'redirects' | 'size' | 'type'

/** The address is not allowed, so no request is sent. */
export class FetchRefused extends Error {
  readonly reason: Refusal

  constructor(reason: Refusal) {
    super(`not fetched: ${reason}`)
    this.reason = reason
  }
}
