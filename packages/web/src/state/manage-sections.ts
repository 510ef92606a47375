import type { TextKey } from '../messages/texts.ts'
import type { ManageSection } from './router.ts'

export const sectionNames: Readonly<Record<ManageSection, TextKey>> = {
  people: 'manage.people',
  invites: 'manage.invites',
  rooms: 'manage.rooms',
  server: 'manage.server',
  'first-steps': 'firstSteps.heading',
}

const required: readonly (readonly [ManageSection, string])[] = [
  ['people', 'admin.view-users'],
  ['invites', 'user.manage-accounts'],
  ['rooms', 'role.manage'],
  ['server', 'server.manage'],
  ['first-steps', 'server.manage'],
]

export const sectionsFor = (may: (permission: string) => boolean): ManageSection[] =>
  required.flatMap(([section, permission]) => (may(permission) ? [section] : []))
