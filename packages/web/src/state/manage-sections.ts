import type { ManageSection } from './router.ts'

/** The sections in display order, each with the permission that it requires. */
const required: readonly (readonly [ManageSection, string])[] = [
  ['people', 'admin.view-users'],
  ['invites', 'user.manage-accounts'],
  ['rooms', 'role.manage'],
  ['server', 'server.manage'],
  ['start', 'server.manage'],
]

/** The sections of the administration that the viewer's permissions allow, in display order. */
export const sectionsFor = (may: (permission: string) => boolean): ManageSection[] =>
  required.flatMap(([section, permission]) => (may(permission) ? [section] : []))
