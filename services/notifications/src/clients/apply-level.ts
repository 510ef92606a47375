import type { Client } from '@connectrpc/connect'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ApplyNotificationLevelRequestSchema, MessagingInternalService } from '@parley/contracts/internal'
import { logger } from '@parley/telemetry'

const log = logger('notifications')
const options = { timeoutMs: 1_000 }

export type ChosenLevel = MessageInitShape<typeof ApplyNotificationLevelRequestSchema>

/**
 * Sends the level to messaging before the user's call is answered. Returns the version that messaging holds afterwards
 * if its version or level differs from the chosen one. Otherwise, or if messaging holds none or the call fails,
 * returns undefined. Never rejects, because messaging also receives the event.
 */
export const applyLevel =
  (messaging: Client<typeof MessagingInternalService>) =>
  async (chosen: ChosenLevel): Promise<bigint | undefined> => {
    try {
      const { heldVersion, heldLevel } = await messaging.applyNotificationLevel(chosen, options)
      // Version 0: messaging stores no level for a user who is being erased.
      return heldVersion === 0n || (heldVersion === chosen.version && heldLevel === chosen.level)
        ? undefined
        : heldVersion
    } catch (error) {
      log.warn({ err: error }, 'messaging did not apply a level; it will receive the level by an event')
      return undefined
    }
  }
