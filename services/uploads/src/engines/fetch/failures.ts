export type RefusalReason = 'url' | 'private' | 'redirects' | 'size' | 'type'

export class FetchRefused extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(`not fetched: ${reason}`)
    this.reason = reason
  }
}
