import type { ServiceImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { rotateSession } from './rotate-session.ts'

export const signIn = (ctx: Context) =>
  ({
    rotateSession: rotateSession(ctx),
  }) satisfies Partial<ServiceImpl<typeof SignInInternalService>>
