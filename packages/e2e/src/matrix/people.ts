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
import { channel, everyone, without } from './cast.ts'
import { row, type Row } from './rows.ts'
import { type Stage, unique } from './stage.ts'

const mine = MyAccountService.method
const server = AdminServerService.method
const { assignRole, revokeRole } = AdminUserService.method
const { setRolePermission, setUserPermission } = AdminPermissionService.method
const moderator = (stage: Stage) => ({ userId: stage.userId('nina'), roleName: 'moderator' })
const attaching = { permission: 'message.attach', decision: PermissionDecision.ALLOW }
const serverScope = { kind: PermissionScopeKind.SERVER }

const picture = () =>
  sharp({ create: { width: 32, height: 32, channels: 3, background: '#4060c0' } })
    .png()
    .toBuffer()
const image = async () => ({ image: { image: await picture(), filename: 'picture.png' } })

/** Changes of profiles and of the server. */
export const profiles: Row[] = [
  row('another name', (stage) => stage.call('ada', mine.updateProfile, { displayName: `Ada ${unique()}` }), [
    'userProfileUpdated',
    everyone,
  ]),
  row('a picture', async (stage) => stage.call('ada', mine.uploadAvatar, await image()), [
    'userProfileUpdated',
    everyone,
  ]),
  row('no picture', (stage) => stage.call('ada', mine.deleteAvatar, {}), ['userProfileUpdated', everyone]),
  row(
    'a name given by an administrator',
    (stage) =>
      stage.call('adam', AdminUserService.method.updateUser, { userId: stage.userId('bob'), displayName: 'Bobby' }),
    ['userProfileUpdated', everyone],
  ),
  row('a custom status', (stage) => stage.call('bob', mine.updateCustomStatus, { emoji: '🌴', text: 'away' }), [
    'userCustomStatusSet',
    everyone,
  ]),
  row('no custom status', (stage) => stage.call('bob', mine.deleteCustomStatus, {}), [
    'userCustomStatusCleared',
    everyone,
  ]),
  row('settings', (stage) => stage.call('ada', mine.updateSettings, { timezone: 'Europe/Paris' }), [
    'serverUserPreferencesUpdated',
    ['ada'],
  ]),
  row(
    'presence',
    (stage) => stage.call('nina', mine.updatePresence, { status: PresenceStatus.ONLINE, userSelected: true }),
    ['presenceChanged', everyone],
  ),
  row('texts of the server', (stage) => stage.call('adam', server.updateServerConfig, { description: unique() }), [
    'serverUpdated',
    everyone,
  ]),
  row('a logo', async (stage) => stage.call('adam', server.uploadServerLogo, await image()), [
    'serverUpdated',
    everyone,
  ]),
  row('a role that is given', (stage) => stage.call('owner', assignRole, moderator(stage)), [
    'permissionsChanged',
    ['nina'],
  ]),
  row('a role that is taken', (stage) => stage.call('owner', revokeRole, moderator(stage)), [
    'permissionsChanged',
    ['nina'],
  ]),
  row(
    'a decision about somebody',
    (stage) =>
      stage.call('owner', setUserPermission, { ...attaching, userId: stage.userId('leo'), scope: serverScope }),
    ['permissionsChanged', ['leo']],
  ),
  row(
    'a decision about a role',
    (stage) => stage.call('owner', setRolePermission, { ...attaching, roleName: 'moderator', scope: serverScope }),
    ['permissionsChanged', everyone],
  ),
  row('no logo', (stage) => stage.call('adam', server.deleteServerLogo, {}), ['serverUpdated', everyone]),
]

/** Ended sessions and deleted people. Closed sockets receive the reason, and nothing more. */
export const ends: Row[] = [
  {
    ...row(
      'signing out',
      ({ people: { sid } }) => postJson(`${fleet().gateways[1]}/auth/logout`, {}, sid.authorization),
      ['sessionTerminated', ['sid']],
    ),
    ends: ['sid'],
  },
  {
    ...row(
      'deleting an account',
      (stage) => stage.call('owner', AdminUserService.method.deleteUser, { userId: stage.userId('dora') }),
      ['sessionTerminated', ['dora']],
      ['serverMemberDeleted', without(everyone, 'sid', 'dora')],
      ['userLeftRoom', without(channel, 'dora')],
    ),
    ends: ['dora'],
  },
]
