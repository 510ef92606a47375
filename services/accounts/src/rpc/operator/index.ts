import type { ServiceImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import type { OperatorContext } from '../../context.ts'
import { bootstrapOwner } from './bootstrap-owner.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { endSessions } from './end-sessions.ts'
import { grantRole } from './grant-role.ts'
import { listEmails } from './list-emails.ts'
import { listSessions } from './list-sessions.ts'
import { removeEmail } from './remove-email.ts'
import { setPassword } from './set-password.ts'
import { verifyEmail } from './verify-email.ts'

export const operator = (ctx: OperatorContext) =>
  ({
    createUser: createUser(ctx),
    deleteUser: deleteUser(ctx),
    setPassword: setPassword(ctx),
    grantRole: grantRole(ctx),
    verifyEmail: verifyEmail(ctx),
    listEmails: listEmails(ctx),
    removeEmail: removeEmail(ctx),
    listSessions: listSessions(ctx),
    endSessions: endSessions(ctx),
    bootstrapOwner: bootstrapOwner(ctx),
  }) satisfies ServiceImpl<typeof OperatorService>
