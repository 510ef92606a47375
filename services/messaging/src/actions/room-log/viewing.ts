import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import type { Viewing } from '../../view/viewing.ts'

/** Viewing of the room by the caller, at the present time. */
export const viewingAs = (ctx: Context, { userId }: Subject, roomId: string): Viewing => ({
  roomId,
  userId,
  now: ctx.now(),
  assets: ctx.assets,
})
