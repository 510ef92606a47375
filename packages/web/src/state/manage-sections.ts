import type { ManageSection } from './router.ts'

const required: readonly (readonly [ManageSection, string])[] = [
  ['people', 'admin.view-users'],
  ['invites', 'user.manage-accounts'],
  ['rooms', 'role.manage'],
  ['server', 'server.manage'],
  ['first-steps', 'server.manage'],
]

export const sectionsFor = (may: (permission: string) => boolean): ManageSection[] =>
  required.flatMap(([section, permission]) => (may(permission) ? [section] : []))
