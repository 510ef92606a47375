import type { Client } from '@connectrpc/connect'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ApplyNotificationLevelRequestSchema, MessagingInternalService } from '@parley/contracts/internal'
import { logger } from '@parley/telemetry'

const log = logger('notifications')
const options = { timeoutMs: 1_000 }

export type ChosenLevel = MessageInitShape<typeof ApplyNotificationLevelRequestSchema>

/**
 * Tells messaging a level before the choice is answered, so that it counts unread rooms by it at once. Answers the version that
 * messaging holds if it holds another choice. Never fails: the event of the choice tells messaging too.
 */
export const applyLevel =
  (messaging: Client<typeof MessagingInternalService>) =>
  async (chosen: ChosenLevel): Promise<bigint | undefined> => {
    try {
      const { heldVersion, heldLevel } = await messaging.applyNotificationLevel(chosen, options)
      // Nothing is held of who is being erased, and told by an earlier release.
      return heldVersion === 0n || (heldVersion === chosen.version && heldLevel === chosen.level)
        ? undefined
        : heldVersion
    } catch (error) {
      log.warn({ err: error }, 'messaging hears of a level by its event alone')
      return undefined
    }
  }
