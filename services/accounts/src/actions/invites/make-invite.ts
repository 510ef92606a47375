import { newId } from '@parley/ids'
import { tokenContext } from '../credentials/token-context.ts'
import { assertStillHolds } from '../credentials/still-holds.ts'
import type { Context } from '../../context.ts'
import { noted } from '../../domain/announcements.ts'
import { publicUrlOf } from '../../domain/public-url.ts'
import { accountGone, tooManyInvites } from '../../errors.ts'
import { countInvites, deleteInvite, insertInvite, lockInviteCount, type InviteRow } from '../../store/invites.ts'
import { changeUser } from '../../store/user-changes.ts'

const maxInvites = 1_000

type NewInvite = Pick<InviteRow, 'label' | 'email' | 'roleIds' | 'maxUses' | 'expiresAt'>

/** Creates an invite and returns its link, which is not stored. Throws `resource_exhausted`, `unauthenticated`. */
export async function makeInvite(
  ctx: Context,
  maker: { userId: string; credentialId: string },
  invite: NewInvite,
): Promise<{ row: InviteRow; url: string }> {
  const { userId: createdBy } = maker
  const at = ctx.now()
  const id = newId('invite')
  let made: { row: InviteRow; token: string } | undefined
  const changed = await changeUser(ctx.db, createdBy, { actorId: createdBy, at }, async (tx) => {
    await assertStillHolds(tx, maker)
    await lockInviteCount(tx)
    if ((await countInvites(tx, at)) >= maxInvites) throw tooManyInvites(maxInvites)
    made = await insertInvite(tx, tokenContext(ctx, at), { ...invite, id, createdBy, createdAt: at })
    return { announce: () => [noted('invite_created', { invite_id: id, role_ids: invite.roleIds.join(' ') })] }
  })
  if (!changed || !made) throw accountGone()
  ctx.relay.wake(changed.unannounced)
  // In the fragment, so that the secret is in no request and no log.
  return { row: made.row, url: `${publicUrlOf(ctx.config)}/invite#${made.token}` }
}

/** Ends an invite; returns whether it was still usable. */
export async function withdrawInvite(ctx: Context, actorId: string, inviteId: string): Promise<boolean> {
  const at = ctx.now()
  let revoked = false
  const changed = await changeUser(ctx.db, actorId, { actorId, at }, async (tx) => {
    revoked = await deleteInvite(tx, inviteId, at)
    return revoked ? { announce: () => [noted('invite_revoked', { invite_id: inviteId })] } : undefined
  })
  if (!changed) throw accountGone()
  ctx.relay.wake(changed.unannounced)
  return revoked
}
