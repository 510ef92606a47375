import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import type { ViewContext } from '../../view/view-context.ts'

/** The context of a response that shows the room to the caller now. */
export const viewContextOf = (ctx: Context, { userId }: Subject, roomId: string): ViewContext => ({
  roomId,
  userId,
  now: ctx.now(),
  assets: ctx.assets,
})
