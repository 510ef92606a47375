import {
  AdminPermissionService,
  AdminServerService,
  AdminUserService,
  PermissionDecision,
  PermissionScopeKind,
} from '@parley/contracts/admin'
import { MyAccountService, PresenceStatus } from '@parley/contracts/api'
import sharp from 'sharp'
import { fleet } from '../fleet.ts'
import { postJson } from '../http.ts'
import { channel, everyone, without } from './users.ts'
import { row, type Row } from './rows.ts'
import { type Fixture, unique } from './fixture.ts'

const mine = MyAccountService.method
const server = AdminServerService.method
const { assignRole, revokeRole } = AdminUserService.method
const { setRolePermission, setUserPermission } = AdminPermissionService.method
const moderator = (fixture: Fixture) => ({ userId: fixture.userId('nina'), roleName: 'moderator' })
const allowAttachments = { permission: 'message.attach', decision: PermissionDecision.ALLOW }
const serverScope = { kind: PermissionScopeKind.SERVER }

const picture = () =>
  sharp({ create: { width: 32, height: 32, channels: 3, background: '#4060c0' } })
    .png()
    .toBuffer()
const image = async () => ({ image: { image: await picture(), filename: 'picture.png' } })

export const profiles: Row[] = [
  row('a new display name', (fixture) => fixture.call('ada', mine.updateProfile, { displayName: `Ada ${unique()}` }), [
    'userProfileUpdated',
    everyone,
  ]),
  row('a new picture', async (fixture) => fixture.call('ada', mine.uploadAvatar, await image()), [
    'userProfileUpdated',
    everyone,
  ]),
  row('a removed picture', (fixture) => fixture.call('ada', mine.deleteAvatar, {}), ['userProfileUpdated', everyone]),
  row(
    'a display name set by an administrator',
    (fixture) =>
      fixture.call('adam', AdminUserService.method.updateUser, { userId: fixture.userId('bob'), displayName: 'Bobby' }),
    ['userProfileUpdated', everyone],
  ),
  row('a new custom status', (fixture) => fixture.call('bob', mine.updateCustomStatus, { emoji: '🌴', text: 'away' }), [
    'userCustomStatusSet',
    everyone,
  ]),
  row('a cleared custom status', (fixture) => fixture.call('bob', mine.deleteCustomStatus, {}), [
    'userCustomStatusCleared',
    everyone,
  ]),
  row('changed settings', (fixture) => fixture.call('ada', mine.updateSettings, { timezone: 'Europe/Paris' }), [
    'serverUserPreferencesUpdated',
    ['ada'],
  ]),
  row(
    'a presence change',
    (fixture) => fixture.call('nina', mine.updatePresence, { status: PresenceStatus.ONLINE, userSelected: true }),
    ['presenceChanged', everyone],
  ),
  row(
    'a new server description',
    (fixture) => fixture.call('adam', server.updateServerConfig, { description: unique() }),
    ['serverUpdated', everyone],
  ),
  row('a new logo', async (fixture) => fixture.call('adam', server.uploadServerLogo, await image()), [
    'serverUpdated',
    everyone,
  ]),
  row('an assigned role', (fixture) => fixture.call('owner', assignRole, moderator(fixture)), [
    'permissionsChanged',
    ['nina'],
  ]),
  row('a revoked role', (fixture) => fixture.call('owner', revokeRole, moderator(fixture)), [
    'permissionsChanged',
    ['nina'],
  ]),
  row(
    'a permission decision for a user',
    (fixture) =>
      fixture.call('owner', setUserPermission, {
        ...allowAttachments,
        userId: fixture.userId('leo'),
        scope: serverScope,
      }),
    ['permissionsChanged', ['leo']],
  ),
  row(
    'a permission decision for a role',
    (fixture) =>
      fixture.call('owner', setRolePermission, { ...allowAttachments, roleName: 'moderator', scope: serverScope }),
    ['permissionsChanged', everyone],
  ),
  row('a removed logo', (fixture) => fixture.call('adam', server.deleteServerLogo, {}), ['serverUpdated', everyone]),
]

export const sessionEnds: Row[] = [
  {
    ...row(
      'signing out',
      ({ people: { sid } }) => postJson(`${fleet().gateways[1]}/auth/logout`, {}, sid.authorization),
      ['sessionTerminated', ['sid']],
    ),
    closesSocketsOf: ['sid'],
  },
  {
    ...row(
      'deleting an account',
      (fixture) => fixture.call('owner', AdminUserService.method.deleteUser, { userId: fixture.userId('dora') }),
      ['sessionTerminated', ['dora']],
      ['serverMemberDeleted', without(everyone, 'sid', 'dora')],
      ['userLeftRoom', without(channel, 'dora')],
    ),
    closesSocketsOf: ['dora'],
  },
]
