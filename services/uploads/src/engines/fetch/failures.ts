/** The reason why an address or its response is refused. */
export type Refusal = 'address' | 'private' | 'redirects' | 'size' | 'type'

/** The address or its response is not allowed, so a retry would be refused too. */
export class FetchRefused extends Error {
  readonly reason: Refusal

  constructor(reason: Refusal) {
    super(`not fetched: ${reason}`)
    this.reason = reason
  }
}
