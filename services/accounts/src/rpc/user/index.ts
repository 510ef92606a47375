import type { ServiceImpl } from '@connectrpc/connect'
import type { UserService } from '@parley/contracts/api'
import type { Context } from '../../context.ts'
import { batchGetUsers } from './batch-get-users.ts'
import { getUser } from './get-user.ts'
import { listUsers } from './list-users.ts'

export const user = (ctx: Context) =>
  ({
    listUsers: listUsers(ctx),
    getUser: getUser(ctx),
    batchGetUsers: batchGetUsers(ctx),
  }) satisfies ServiceImpl<typeof UserService>
