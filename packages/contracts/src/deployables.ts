import type { DeployableProperties } from './deployable-properties.ts'

export { type DeployableProperties, sharedSecrets } from './deployable-properties.ts'

/**
 * The manifest: for each deployable, the properties that an operator does not choose. The catalogue, the supervisor and
 * the tests import it; `pnpm deployables --write` copies it to Compose, the chart and the configuration of the bus.
 */
export const deployables = {
  gateway: {
    about:
      'Calls methods on behalf of users: no other deployable may call public methods, whose subjects have three tokens (those of internal methods have four).',
    http: {
      number: 8080,
      settings: ['PARLEY_WEBSERVER_PORT', 'PARLEY_PORT'],
      hostSetting: 'PARLEY_WEBSERVER_HOST',
      published: 'PARLEY_PORT',
    },
    edge: true,
    proxies: true,
    trustsProxies: true,
    url: true,
    secrets: [
      'PARLEY_CORE_SECRET_KEY',
      'PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET',
      'PARLEY_REDIS_URL',
      'PARLEY_UPLOADS_BLOB_SECRET',
    ],
    speaksForUsers: true,
    calls: [
      'AccountsInternalService.Authenticate',
      'AccountsInternalService.RekeyCredentials',
      'AccountsInternalService.PasswordLogin',
      'AccountsInternalService.EndCredentials',
      'SignInInternalService.*',
    ],
  },
  realtime: {
    about: 'Sockets of clients; reads the whole stream.',
    http: {
      number: 8081,
      settings: ['PARLEY_REALTIME_PORT'],
      hostSetting: 'PARLEY_REALTIME_HOST',
      path: '/api/realtime',
      listedAs: 'PARLEY_GATEWAY_REALTIME_URLS',
      published: 'PARLEY_REALTIME_PORT',
    },
    edge: true,
    trustsProxies: true,
    url: true,
    secrets: ['PARLEY_CORE_SECRET_KEY', 'PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET'],
    calls: [
      'AccountsInternalService.OpenSockets',
      'AccountsInternalService.CheckCredentials',
      'AccountsInternalService.RekeyCredentials',
      'RoomsInternalService.OpenSockets',
      'RoomsInternalService.ListUniversalRooms',
      'AdminInternalService.GetPolicy',
    ],
    hints: { subscribes: ['presence', 'typing'] },
  },
  accounts: {
    about: 'Users, their credentials, invites and presence.',
    database: true,
    url: true,
    secrets: ['PARLEY_CORE_SECRET_KEY', 'PARLEY_REDIS_URL', 'PARLEY_CORE_ASSETS_SIGNING_SECRET'],
    reaches: ['mail', 'internet'],
    calls: [
      'AdminInternalService.GetPolicy',
      'AdminInternalService.CheckLogin',
      'AdminInternalService.CheckLogins',
      'AdminInternalService.GetServerName',
      'MessagingInternalService.HasUnread',
      'NotificationsInternalService.GetPreferences',
      'RoomsInternalService.ListPresenceAudiences',
      'UploadsInternalService.StoreServerImage',
      'UploadsInternalService.ImportServerImage',
    ],
    hints: { publishes: ['presence'] },
    publishes: ['user', 'auth', 'control.user'],
    consumes: ['deleted-roles', 'erasures'],
  },
  rooms: {
    about: 'Rooms, their members, bans and layout.',
    database: true,
    calls: [
      'AccountsInternalService.ListPeople',
      'AccountsInternalService.GetProfiles',
      'AccountsInternalService.GetPeople',
      'AccountsInternalService.ReportErased',
      'AdminInternalService.GetPolicy',
      'AdminInternalService.DenyPosting',
      'AdminInternalService.DenyEntry',
      'MessagingInternalService.ApplyRoomFacts',
      'MessagingInternalService.RoomStates',
    ],
    publishes: ['layout', 'group'],
    consumes: ['people', 'people-access', 'erasures'],
  },
  messaging: {
    about: 'The log of each room, its messages and read markers.',
    database: true,
    url: true,
    secrets: ['PARLEY_CORE_ASSETS_SIGNING_SECRET'],
    calls: [
      'AccountsInternalService.GetProfiles',
      'AccountsInternalService.ReportErased',
      'AccountsInternalService.ResolveHandles',
      'AdminInternalService.GetPolicy',
      'UploadsInternalService.ClaimAssets',
      'UploadsInternalService.GetVideoOutcomes',
      'UploadsInternalService.PreviewLink',
    ],
    hints: { publishes: ['typing'] },
    publishes: ['room', 'reader'],
    consumes: ['levels', 'erasures'],
  },
  admin: {
    about: 'Roles, permission decisions, server settings and the audit log; keeps the stream.',
    database: true,
    url: true,
    secrets: ['PARLEY_CORE_ASSETS_SIGNING_SECRET'],
    calls: [
      'AccountsInternalService.GetProfiles',
      'AccountsInternalService.ListRoleHolders',
      'AccountsInternalService.ReserveRoleName',
      'AccountsInternalService.ReleaseRoleName',
      'AccountsInternalService.CountUsers',
      'AccountsInternalService.ReportErased',
      'RoomsInternalService.GetRooms',
      'RoomsInternalService.GetRoomAccess',
      'RoomsInternalService.GetGroups',
      'RoomsInternalService.ListLayout',
      'RoomsInternalService.CountRooms',
      'UploadsInternalService.StoreServerImage',
    ],
    consumes: ['audit', 'deleted-groups', 'erasures'],
    keepsStream: true,
  },
  uploads: {
    about: 'Files, images and link previews.',
    database: true,
    http: {
      number: 8082,
      settings: ['PARLEY_UPLOADS_HTTP_PORT'],
      hostSetting: 'PARLEY_UPLOADS_HTTP_HOST',
      path: '/assets',
      listedAs: 'PARLEY_GATEWAY_ASSETS_URLS',
    },
    trustsProxies: true,
    assets: true,
    url: true,
    secrets: [
      'PARLEY_CORE_SECRET_KEY',
      'PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET',
      'PARLEY_CORE_ASSETS_SIGNING_SECRET',
      'PARLEY_UPLOADS_BLOB_SECRET',
    ],
    reaches: ['storage', 'internet'],
    calls: [
      'AccountsInternalService.ReportErased',
      'AccountsInternalService.Authenticate',
      'AccountsInternalService.GetPeople',
      'AccountsInternalService.RekeyCredentials',
      'RoomsInternalService.GetRoomAccess',
      'MessagingInternalService.ApplyRoomEvents',
      'MessagingInternalService.FindFileUses',
      'AdminInternalService.GetPolicy',
      'AdminInternalService.GetServerImages',
    ],
    publishes: ['asset'],
    consumes: ['avatars', 'branding', 'posted', 'imported', 'edited', 'retracted', 'erasures'],
  },
  notifications: {
    about: 'Notifications, their preferences and Web Push.',
    database: true,
    url: true,
    reaches: ['internet'],
    calls: [
      'AccountsInternalService.GetProfiles',
      'AccountsInternalService.ReportErased',
      'AccountsInternalService.GetPresences',
      'AccountsInternalService.CheckCredentials',
      'RoomsInternalService.GetRoomAccess',
      'RoomsInternalService.ListRecipients',
      'RoomsInternalService.ListAccessibleRooms',
      'MessagingInternalService.ApplyNotificationLevel',
      'MessagingInternalService.ListThreadFollowers',
      'MessagingInternalService.PreviewMessages',
    ],
    publishes: ['notification', 'preference'],
    consumes: ['rooms', 'readers', 'credentials', 'erasures'],
  },
  calls: {
    about: 'Voice and video calls.',
    database: true,
    http: {
      number: 8083,
      settings: ['PARLEY_CALLS_HTTP_PORT'],
      hostSetting: 'PARLEY_CALLS_HTTP_HOST',
      path: '/webhooks',
      listedAs: 'PARLEY_GATEWAY_WEBHOOKS_URLS',
    },
    reaches: ['media'],
    calls: [
      'AccountsInternalService.GetProfiles',
      'AccountsInternalService.ReportErased',
      'RoomsInternalService.GetRoomAccess',
      'RoomsInternalService.ListRecipients',
      'RoomsInternalService.ListAccessibleRooms',
      'MessagingInternalService.ApplyRoomEvents',
    ],
    consumes: ['members-left', 'members-banned', 'rooms-narrowed', 'accounts-deleted', 'credentials-ended', 'erasures'],
  },
} as const satisfies Record<string, DeployableProperties>

export type Deployable = keyof typeof deployables

export const deployableNames = Object.keys(deployables) as Deployable[]

/** The properties of a deployable, typed so that optional ones can be read too. */
export const propertiesOf = (name: Deployable): DeployableProperties => deployables[name]

export const databaseOwners = deployableNames.filter((name) => propertiesOf(name).database)

/** Deployables of the compact layout: all but realtime, whose sockets must never wait for requests. */
export type CompactDeployable = Exclude<Deployable, 'realtime'>
export const compactDeployables = deployableNames.filter((name): name is CompactDeployable => name !== 'realtime')

/** Users of the bus: the deployables and the operator. */
export const busUsers = [...deployableNames, 'operator'] as const
