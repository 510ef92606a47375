import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import type { Viewing } from '../../view/viewing.ts'

/** The caller looks at the room now. */
export const viewingAs = (ctx: Context, { userId }: Subject, roomId: string): Viewing => ({
  roomId,
  userId,
  now: ctx.now(),
  assets: ctx.assets,
})
