export type FailureReason = 'original_missing' | 'processing_failed'

export class VideoFailure extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, explanation: string) {
    super(explanation)
    this.reason = reason
  }
}
