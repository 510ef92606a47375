import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import type { ViewContext } from '../../view/view-context.ts'

export const viewContextOf = (ctx: Context, { userId }: Subject, roomId: string): ViewContext => ({
  roomId,
  userId,
  now: ctx.now(),
  assets: ctx.assets,
})
