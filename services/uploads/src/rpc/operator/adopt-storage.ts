import type { MethodImpl } from '@connectrpc/connect'
import type { UploadsOperatorService } from '@parley/contracts/internal'
import { adoptStorage as adopt } from '../../actions/check/identity.ts'
import type { Context } from '../../context.ts'

export function adoptStorage(ctx: Context): MethodImpl<typeof UploadsOperatorService.method.adoptStorage> {
  return async () => {
    await adopt(ctx)
    return {}
  }
}
