import type { ManageSection } from './router.ts'

const needed: readonly (readonly [ManageSection, string])[] = [
  ['people', 'admin.view-users'],
  ['invites', 'user.manage-accounts'],
  ['rooms', 'role.manage'],
  ['server', 'server.manage'],
  ['start', 'server.manage'],
]

/** The sections of the administration that the viewer's permissions allow, in display order. */
export const sectionsFor = (holds: (permission: string) => boolean): ManageSection[] =>
  needed.flatMap(([section, permission]) => (holds(permission) ? [section] : []))
