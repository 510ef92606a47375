import type { Client } from '@connectrpc/connect'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ApplyNotificationLevelRequestSchema, MessagingInternalService } from '@parley/contracts/internal'
import { logger } from '@parley/telemetry'

const log = logger('notifications')
const options = { timeoutMs: 1_000 }

export type ChosenLevel = MessageInitShape<typeof ApplyNotificationLevelRequestSchema>

/**
 * Tells messaging a level, so that what it says of unread rooms is true when the choice is answered. Never fails: the event
 * of the choice tells it too.
 */
export const applyLevel =
  (messaging: Client<typeof MessagingInternalService>) =>
  async (chosen: ChosenLevel): Promise<void> => {
    await messaging.applyNotificationLevel(chosen, options).catch((error: unknown) => {
      log.warn({ err: error }, 'messaging hears of a level by its event alone')
    })
  }
