/** Why a video cannot be shown, as reported to clients. */
export type FailureReason = 'original_missing' | 'processing_failed'

/** A video that will never be processed: trying again would end the same. */
export class VideoFailure extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, explanation: string) {
    super(explanation)
    this.reason = reason
  }
}
