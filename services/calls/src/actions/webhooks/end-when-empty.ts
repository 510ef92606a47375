import { compareCall } from '../calls/compare-call.ts'
import { reportComparisonFailure } from '../../metrics.ts'
import type { CallWebhook } from './call-webhook.ts'

/**
 * Compares a call with the media server, and ends the call if it has no participants. The stored participants are not
 * enough: the webhook of a newer participant may be in flight. If the media server or the service rooms does not
 * answer, the periodic comparison ends the call.
 */
export async function endWhenEmpty({ ctx, media, call }: CallWebhook): Promise<void> {
  try {
    await compareCall(ctx, media, call, 'livekit')
  } catch (error) {
    reportComparisonFailure(error, call.id)
  }
}
