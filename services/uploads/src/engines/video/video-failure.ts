export type FailureReason = 'original_missing' | 'processing_failed'

/** A video cannot be processed, and a retry would fail too. */
export class VideoFailure extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, explanation: string) {
    super(explanation)
    this.reason = reason
  }
}
