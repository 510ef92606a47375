import type { Policy, Subject } from '@parley/permissions'
import type { AdminRoomLayoutGroup } from '@parley/contracts/admin'
import type { Reader } from '@parley/postgres'
import { groupNotFound } from '../../errors.ts'
import { findGroups } from '../../store/groups.ts'
import { findPlacedItems } from '../../store/layout.ts'
import { toAdminGroups } from '../../view/admin-group.ts'

/**
 * Shows groups in sidebar order; all of them if `groupIds` is missing. Runs two statements, so the reader must be a
 * transaction with one snapshot, or have locked the layout.
 */
export async function showLayout(
  reader: Reader,
  policy: Policy,
  viewer: Subject,
  groupIds?: readonly string[],
): Promise<AdminRoomLayoutGroup[]> {
  const groups = await findGroups(reader, groupIds)
  const items = await findPlacedItems(
    reader,
    groups.map(({ id }) => id),
  )
  return toAdminGroups(groups, items, policy, viewer)
}

/** Throws `not_found` if the group does not exist. */
export async function showGroup(
  reader: Reader,
  policy: Policy,
  viewer: Subject,
  groupId: string,
): Promise<AdminRoomLayoutGroup> {
  const [group] = await showLayout(reader, policy, viewer, [groupId])
  if (!group) throw groupNotFound()
  return group
}
