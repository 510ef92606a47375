import type { MethodImpl } from '@connectrpc/connect'
import { TimeFormat, type MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { noted } from '../../domain/announcements.ts'
import { preferencesChanged, type Cause } from '../../domain/profile-announcements.ts'
import { timezoneFrom } from '../../domain/timezone.ts'
import { accountGone, unknownTimeFormat } from '../../errors.ts'
import { changeUser, type Announcement } from '../../store/user-changes.ts'
import type { UserRow } from '../../store/users.ts'
import { toSettings } from '../../view/settings.ts'

type Settings = Pick<UserRow, 'timezone' | 'timeFormat'>

export function updateSettings(ctx: Context): MethodImpl<typeof MyAccountService.method.updateSettings> {
  return async (request, call) => {
    const { userId } = callerOf(call)
    const wanted: Partial<Settings> = {
      ...(request.timezone !== undefined && { timezone: (request.timezone && timezoneFrom(request.timezone)) || null }),
      ...(request.timeFormat !== undefined && { timeFormat: storedFormat(request.timeFormat) }),
    }
    const cause: Cause = { actorId: userId, at: ctx.now() }
    const changed = await changeUser(ctx.db, userId, cause, async (_, user) => {
      const notes = notesOf(user, { ...user, ...wanted })
      if (notes.length === 0) return undefined
      return { set: wanted, announce: () => [preferencesChanged({ ...user, ...wanted }, cause), ...notes] }
    })
    if (!changed) throw accountGone()
    ctx.relay.wake(changed.unannounced)
    return { settings: toSettings(changed.after) }
  }
}

/** AUTO is the default. */
function storedFormat(format: TimeFormat): TimeFormat | null {
  if (format === TimeFormat.TIME_FORMAT_12_HOUR || format === TimeFormat.TIME_FORMAT_24_HOUR) return format
  if (format === TimeFormat.TIME_FORMAT_AUTO || format === TimeFormat.TIME_FORMAT_UNSPECIFIED) return null
  throw unknownTimeFormat()
}

function notesOf(before: Settings, after: Settings): Announcement[] {
  return [
    ...(before.timezone !== after.timezone ? [noted(`user_timezone_${verb(after.timezone)}`)] : []),
    ...(before.timeFormat !== after.timeFormat ? [noted(`user_time_format_${verb(after.timeFormat)}`)] : []),
  ]
}

const verb = (value: unknown): string => (value === null ? 'cleared' : 'changed')
