import { create } from '@bufbuild/protobuf'
import type { Policy } from '@parley/permissions'
import { DirectoryMemberSchema, type DirectoryMember } from '@parley/contracts/api'
import type { Profile } from '@parley/contracts/internal'

export function toDirectoryMember({ user, roleIds, createdAt }: Profile, policy: Policy): DirectoryMember {
  const roles = roleIds.flatMap((id) => policy.roles.get(id)?.name ?? [])
  return create(DirectoryMemberSchema, { roles, ...(user && { user }), ...(createdAt && { createdAt }) })
}
