import type { ManageSection } from './router.ts'

const needed: readonly (readonly [ManageSection, string])[] = [
  ['people', 'admin.view-users'],
  ['invites', 'user.manage-accounts'],
  ['rooms', 'role.manage'],
  ['server', 'server.manage'],
  ['start', 'server.manage'],
]

/** The parts of administration that are open to who holds these permissions, in their order. */
export const managedBy = (holds: (permission: string) => boolean): ManageSection[] =>
  needed.flatMap(([section, permission]) => (holds(permission) ? [section] : []))
