import type { DatabaseHost } from '@parley/service'
import type { Context } from '../context.ts'
import { onAccountDeleted, onCredentialsEnded } from './on-account-gone.ts'
import { onMemberGone } from './on-member-gone.ts'
import { onRoomNoLongerUniversal } from './on-room-no-longer-universal.ts'

export async function startConsumers(host: DatabaseHost, ctx: Context): Promise<void> {
  for (const [durable, subject, handler] of [
    ['members-left', 'evt.room.*.user_left_room', { beforeTransaction: onMemberGone(ctx) }],
    ['members-banned', 'evt.room.*.member_banned', { beforeTransaction: onMemberGone(ctx) }],
    ['rooms-narrowed', 'evt.room.*.room_universal_changed', { beforeTransaction: onRoomNoLongerUniversal(ctx) }],
    ['accounts-deleted', 'evt.control.user.*.account_deleted', { on: onAccountDeleted(ctx) }],
    ['credentials-ended', 'evt.control.user.*.credentials_ended', { on: onCredentialsEnded(ctx) }],
  ] as const)
    await host.consume({ durable, subject, ...handler })
}
