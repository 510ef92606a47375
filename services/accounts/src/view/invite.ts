import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Policy } from '@parley/permissions'
import { InviteSchema, type Invite } from '@parley/contracts/admin'
import type { InviteRow } from '../store/invites.ts'
import { roleNamesOf } from './role.ts'

export const toInvite = ({ id, label, email, maxUses, uses, createdBy, ...row }: InviteRow, policy: Policy): Invite =>
  create(InviteSchema, {
    ...{ id, label, email, maxUses, uses },
    roleNames: roleNamesOf(row.roleIds, policy),
    createdByUserId: createdBy,
    createdAt: timestampFromDate(row.createdAt),
    expiresAt: timestampFromDate(row.expiresAt),
  })
