import { create } from '@bufbuild/protobuf'
import { TimeFormat, UserSettingsSchema, type UserSettings } from '@parley/contracts/api'
import type { UserRow } from '../store/users.ts'

export const toSettings = ({ timezone, timeFormat }: Pick<UserRow, 'timezone' | 'timeFormat'>): UserSettings =>
  create(UserSettingsSchema, {
    ...(timezone !== null && { timezone }),
    timeFormat: timeFormat ?? TimeFormat.TIME_FORMAT_AUTO,
  })
