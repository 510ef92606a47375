import type { ServiceImpl } from '@connectrpc/connect'
import type { SignInInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { finishProviderLogin } from './finish-provider-login.ts'
import { rotateSession } from './rotate-session.ts'
import { startProviderLogin } from './start-provider-login.ts'

export const signIn = (ctx: Context) =>
  ({
    rotateSession: rotateSession(ctx),
    startProviderLogin: startProviderLogin(ctx),
    finishProviderLogin: finishProviderLogin(ctx),
  }) satisfies Partial<ServiceImpl<typeof SignInInternalService>>
