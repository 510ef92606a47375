/** Why there is nothing to show of a video, as clients are told. */
export type FailureReason = 'original_missing' | 'processing_failed'

/** A video that will never be processed: trying again would end the same. */
export class VideoFailure extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, explanation: string) {
    super(explanation)
    this.reason = reason
  }
}
