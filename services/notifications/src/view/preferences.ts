import { create } from '@bufbuild/protobuf'
import { NotificationLevel } from '@parley/contracts/api'
import { GetPreferencesResponseSchema, type GetPreferencesResponse } from '@parley/contracts/internal'
import { effectiveLevel } from '../domain/levels.ts'
import type { NotificationLevelRow } from '../store/notification-levels.ts'

const levels = {
  muted: NotificationLevel.MUTED,
  normal: NotificationLevel.NORMAL,
  all_messages: NotificationLevel.ALL_MESSAGES,
}

export function toPreferences(rows: NotificationLevelRow[]): GetPreferencesResponse {
  const chosen = rows.find(({ roomId }) => roomId === '')
  const server = chosen ? levels[chosen.level] : NotificationLevel.DEFAULT
  return create(GetPreferencesResponseSchema, {
    server: { level: server, effectiveLevel: effectiveLevel(server) },
    rooms: rows
      .filter(({ roomId }) => roomId !== '')
      .map(({ roomId, level }) => ({
        roomId,
        preference: { level: levels[level], effectiveLevel: effectiveLevel(levels[level], server) },
      })),
  })
}
