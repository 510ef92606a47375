import type { ServiceImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import type { Context } from '../../context.ts'
import { updatePassword } from './update-password.ts'

export const myAccount = (ctx: Context) =>
  ({
    updatePassword: updatePassword(ctx),
  }) satisfies Partial<ServiceImpl<typeof MyAccountService>>
