import type { MethodImpl } from '@connectrpc/connect'
import { TimeFormat, type MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { auditEvent } from '../../domain/announcements.ts'
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
    const changes: Partial<Settings> = {
      ...(request.timezone !== undefined && {
        timezone: request.timezone === '' ? null : timezoneFrom(request.timezone),
      }),
      ...(request.timeFormat !== undefined && { timeFormat: storedFormat(request.timeFormat) }),
    }
    const cause: Cause = { actorId: userId, at: ctx.now() }
    const changed = await changeUser(ctx.db, userId, cause, async (_, user) => {
      const audit = auditEventsOf(user, { ...user, ...changes })
      if (audit.length === 0) return undefined
      return { set: changes, announce: () => [preferencesChanged({ ...user, ...changes }, cause), ...audit] }
    })
    if (!changed) throw accountGone()
    ctx.relay.wake(changed.unrelayed)
    return { settings: toSettings(changed.after) }
  }
}

function storedFormat(format: TimeFormat): TimeFormat | null {
  if (format === TimeFormat.TIME_FORMAT_12_HOUR || format === TimeFormat.TIME_FORMAT_24_HOUR) return format
  if (format === TimeFormat.TIME_FORMAT_AUTO || format === TimeFormat.TIME_FORMAT_UNSPECIFIED) return null
  throw unknownTimeFormat()
}

function auditEventsOf(before: Settings, after: Settings): Announcement[] {
  return [
    ...(before.timezone !== after.timezone ? [auditEvent(`user_timezone_${clearedOrChanged(after.timezone)}`)] : []),
    ...(before.timeFormat !== after.timeFormat
      ? [auditEvent(`user_time_format_${clearedOrChanged(after.timeFormat)}`)]
      : []),
  ]
}

const clearedOrChanged = (value: unknown): string => (value === null ? 'cleared' : 'changed')
