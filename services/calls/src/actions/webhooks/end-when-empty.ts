import { compareCall } from '../calls/compare-call.ts'
import { reportMediaFailure } from '../../metrics.ts'
import type { Told } from './told.ts'

/**
 * Ends a call that nobody is in any more, as far as webhooks tell: one of them may be on its way that says otherwise, so the
 * media server is asked. While it does not answer the periodic comparison is left to do it.
 */
export async function endWhenEmpty({ ctx, media, call }: Told): Promise<void> {
  try {
    await compareCall(ctx, media, call, 'livekit')
  } catch (error) {
    reportMediaFailure(error, 'list participants')
  }
}
