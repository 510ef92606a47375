import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { NotificationPreferenceSchema } from '@parley/contracts/api'
import { GetPreferencesResponseSchema, type GetPreferencesResponse } from '@parley/contracts/internal'
import { effectiveLevel, levelOf } from '../domain/levels.ts'
import type { NotificationLevelRow } from '../store/notification-levels.ts'

type Preference = MessageInitShape<typeof NotificationPreferenceSchema> &
  Required<Pick<MessageInitShape<typeof NotificationPreferenceSchema>, 'level' | 'effectiveLevel'>>

export function toPreference(rows: readonly NotificationLevelRow[], roomId = ''): Preference {
  const stored = (of: string) => levelOf(rows.find((row) => row.roomId === of)?.level)
  const level = stored(roomId)
  return { level, effectiveLevel: effectiveLevel(level, stored('')) }
}

export function toPreferences(rows: readonly NotificationLevelRow[]): GetPreferencesResponse {
  const rooms = rows.filter(({ roomId }) => roomId !== '')
  return create(GetPreferencesResponseSchema, {
    server: toPreference(rows),
    rooms: rooms.map(({ roomId }) => ({ roomId, preference: toPreference(rows, roomId) })),
  })
}
