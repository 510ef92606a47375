export type RefusalReason = 'url' | 'private' | 'redirects' | 'size' | 'type'

/** The URL or its response is not allowed, so a retry would be refused too. */
export class FetchRefused extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(`not fetched: ${reason}`)
    this.reason = reason
  }
}
