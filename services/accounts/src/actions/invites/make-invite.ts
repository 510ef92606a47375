import { newId } from '@parley/ids'
import { tokenContext } from '../credentials/token-context.ts'
import { assertCredentialValid } from '../credentials/assert-credential-valid.ts'
import type { Context } from '../../context.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { publicUrlOf } from '../../domain/public-url.ts'
import { accountGone, tooManyInvites } from '../../errors.ts'
import { countInvites, deleteInvite, insertInvite, lockInviteCount, type InviteRow } from '../../store/invites.ts'
import { changeUser } from '../../store/user-changes.ts'

const maxInvites = 1_000

type NewInvite = Pick<InviteRow, 'label' | 'email' | 'roleIds' | 'maxUses' | 'expiresAt'>

/**
 * The URL is not stored. Throws `resource_exhausted` if there are too many invites, and `unauthenticated` if the
 * creator's credential or account has ended.
 */
export async function makeInvite(
  ctx: Context,
  creator: { userId: string; credentialId: string },
  invite: NewInvite,
): Promise<{ row: InviteRow; url: string }> {
  const { userId: createdBy } = creator
  const at = ctx.now()
  const id = newId('invite')
  let created: { row: InviteRow; token: string } | undefined
  const changed = await changeUser(ctx.db, createdBy, { actorId: createdBy, at }, async (tx) => {
    await assertCredentialValid(tx, creator)
    await lockInviteCount(tx)
    if ((await countInvites(tx, at)) >= maxInvites) throw tooManyInvites(maxInvites)
    created = await insertInvite(tx, tokenContext(ctx, at), { ...invite, id, createdBy, createdAt: at })
    return { announce: () => [auditEvent('invite_created', { invite_id: id, role_ids: invite.roleIds.join(' ') })] }
  })
  if (!changed || !created) throw accountGone()
  ctx.relay.wake(changed.unrelayed)
  // The token is in the fragment, so that no request and no log contains it.
  return { row: created.row, url: `${publicUrlOf(ctx.config)}/invite#${created.token}` }
}

/** Deletes the invite. Returns whether it existed and had not expired. */
export async function revokeInvite(ctx: Context, actorId: string, inviteId: string): Promise<boolean> {
  const at = ctx.now()
  let revoked = false
  const changed = await changeUser(ctx.db, actorId, { actorId, at }, async (tx) => {
    revoked = await deleteInvite(tx, inviteId, at)
    return revoked ? { announce: () => [auditEvent('invite_revoked', { invite_id: inviteId })] } : undefined
  })
  if (!changed) throw accountGone()
  ctx.relay.wake(changed.unrelayed)
  return revoked
}
