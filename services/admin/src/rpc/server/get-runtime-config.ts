import type { MethodImpl } from '@connectrpc/connect'
import type { ServerService } from '@parley/contracts/api'
import type { Context } from '../../context.ts'
import { toRuntimeConfig } from '../../view/server.ts'

export function getRuntimeConfig(ctx: Context): MethodImpl<typeof ServerService.method.getRuntimeConfig> {
  return () => ({ runtime: toRuntimeConfig(ctx.config) })
}
