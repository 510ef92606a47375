import type { MethodImpl } from '@connectrpc/connect'
import { ownerRoleId } from '@parley/permissions'
import type { OperatorService } from '@parley/contracts/internal'
import { createAccount } from '../../actions/accounts/create-account.ts'
import type { OperatorContext } from '../../context.ts'
import { logOwnerAppointed } from '../../metrics.ts'
import { findOldestHolder, lockOwnerCount } from '../../store/roles.ts'

/** Thrown inside the transaction if another call has created an owner first. */
class OwnerExists extends Error {}

export function bootstrapOwner(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.bootstrapOwner> {
  return async ({ login, password, email }) => {
    const existing = await findOldestHolder(ctx.db, ownerRoleId)
    if (existing) return { created: false, login: existing.login }
    try {
      const account = await createAccount(
        ctx,
        { login, password, email, roleIds: [ownerRoleId] },
        {
          before: async (tx) => {
            await lockOwnerCount(tx)
            if (await findOldestHolder(tx, ownerRoleId)) throw new OwnerExists()
          },
        },
      )
      logOwnerAppointed(account.id)
      return { created: true, login }
    } catch (error) {
      if (!(error instanceof OwnerExists)) throw error
      return { created: false, login: (await findOldestHolder(ctx.db, ownerRoleId))?.login ?? '' }
    }
  }
}
