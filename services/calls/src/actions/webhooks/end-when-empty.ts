import { compareCall } from '../calls/compare-call.ts'
import { reportComparisonFailure } from '../../metrics.ts'
import type { CallWebhook } from './call-webhook.ts'

/**
 * Ends a call if it has no participants. The media server is queried first, because the webhook of a newer participant
 * may be in flight. If it or the rooms service does not answer, the periodic comparison ends the call.
 */
export async function endWhenEmpty({ ctx, media, call }: CallWebhook): Promise<void> {
  try {
    await compareCall(ctx, media, call, 'livekit')
  } catch (error) {
    reportComparisonFailure(error, call.id)
  }
}
