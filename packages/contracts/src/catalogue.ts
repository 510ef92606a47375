import type { DescFile, DescMethod, DescMethodUnary, DescService } from '@bufbuild/protobuf'
import {
  AdminDiagnosticsService,
  AdminEventLogService,
  AdminPermissionService,
  AdminRoleService,
  AdminRoomLayoutService,
  AdminServerService,
  AdminUserService,
} from './admin.ts'
import {
  AssetService,
  AssetUploadService,
  MessageService,
  MyAccountService,
  NotificationPreferencesService,
  NotificationService,
  PushNotificationService,
  RoleService,
  RoomDirectoryService,
  RoomService,
  ServerService,
  ThreadService,
  UserService,
  ViewerService,
  VoiceCallService,
} from './api.ts'
import { ExternalIdentityAuthService } from './auth.ts'
import { ServerDiscoveryService } from './discovery.ts'
import {
  AccountsInternalService,
  AccountsParkedEventsService,
  AccountsTransferService,
  AdminInternalService,
  AdminParkedEventsService,
  CallsParkedEventsService,
  MessagingInternalService,
  MessagingParkedEventsService,
  MessagingTransferService,
  NotificationsInternalService,
  NotificationsParkedEventsService,
  OperatorService,
  RoomsInternalService,
  RoomsParkedEventsService,
  RoomsTransferService,
  SignInInternalService,
  UploadsInternalService,
  UploadsOperatorService,
  UploadsParkedEventsService,
  UploadsTransferService,
} from './internal.ts'
import { file_svc_realtime_v1_realtime } from './realtime.ts'

/** The parts of the fleet that are started on their own. */
export type Deployable =
  | 'gateway'
  | 'accounts'
  | 'rooms'
  | 'messaging'
  | 'admin'
  | 'uploads'
  | 'notifications'
  | 'calls'
  | 'realtime'

/** Every service clients may call, by package, then by name. */
export const publicServices: readonly DescService[] = [
  AssetService,
  AssetUploadService,
  MessageService,
  MyAccountService,
  NotificationPreferencesService,
  NotificationService,
  PushNotificationService,
  RoleService,
  RoomDirectoryService,
  RoomService,
  ServerService,
  ThreadService,
  UserService,
  ViewerService,
  VoiceCallService,
  AdminDiagnosticsService,
  AdminEventLogService,
  AdminPermissionService,
  AdminRoleService,
  AdminRoomLayoutService,
  AdminServerService,
  AdminUserService,
  ExternalIdentityAuthService,
  ServerDiscoveryService,
]

/** Every method clients may call, in the order of `publicServices`. All are unary. */
export const publicMethods: readonly DescMethodUnary[] = publicServices.flatMap((service) =>
  service.methods.filter(isUnary),
)

/** Path of a method below the RPC prefix, e.g. `/svc.api.v1.RoomService/CreateRoom`. */
export function methodPath(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`
}

const owners: readonly (readonly [Deployable, readonly DescService[]])[] = [
  ['accounts', [MyAccountService, UserService, ViewerService, ExternalIdentityAuthService, AdminUserService]],
  ['rooms', [RoomService, RoomDirectoryService, AdminRoomLayoutService]],
  ['messaging', [MessageService, ThreadService]],
  [
    'admin',
    [
      AdminServerService,
      AdminRoleService,
      AdminPermissionService,
      AdminEventLogService,
      AdminDiagnosticsService,
      RoleService,
      ServerService,
      ServerDiscoveryService,
    ],
  ],
  ['uploads', [AssetUploadService, AssetService]],
  ['notifications', [NotificationService, NotificationPreferencesService, PushNotificationService]],
  ['calls', [VoiceCallService]],
]

/** Methods whose owner differs from that of their service: a room's line belongs to messaging. */
const lineOfRoom: readonly DescMethod[] = [
  RoomService.method.listRoomAttachments,
  RoomService.method.updateTypingIndicator,
  RoomService.method.getRoomEvents,
  RoomService.method.getRoomEventsAround,
  RoomService.method.markRoomAsRead,
]

/** The deployable that answers a public method; undefined for methods that are not public. */
export function ownerOf(method: DescMethod): Deployable | undefined {
  if (lineOfRoom.includes(method)) return 'messaging'
  return owners.find(([, services]) => services.includes(method.parent))?.[0]
}

const internalOwners: readonly (readonly [Deployable, readonly DescService[]])[] = [
  [
    'accounts',
    [
      AccountsInternalService,
      SignInInternalService,
      OperatorService,
      AccountsTransferService,
      AccountsParkedEventsService,
    ],
  ],
  ['rooms', [RoomsInternalService, RoomsTransferService, RoomsParkedEventsService]],
  ['messaging', [MessagingInternalService, MessagingTransferService, MessagingParkedEventsService]],
  ['admin', [AdminInternalService, AdminParkedEventsService]],
  ['uploads', [UploadsInternalService, UploadsTransferService, UploadsOperatorService, UploadsParkedEventsService]],
  ['notifications', [NotificationsInternalService, NotificationsParkedEventsService]],
  ['calls', [CallsParkedEventsService]],
]

/** The deployable that answers a method, public or not. Throws a RangeError for one that nobody answers. */
export function answererOf(method: DescMethod): Deployable {
  const owner = ownerOf(method) ?? internalOwners.find(([, services]) => services.includes(method.parent))?.[0]
  if (owner === undefined) throw new RangeError(`nobody answers ${method.parent.typeName}.${method.name}`)
  return owner
}

/** The public methods a deployable answers, in the order of `publicMethods`; empty for gateway and realtime. */
export function ownedMethods(deployable: Deployable): DescMethodUnary[] {
  return publicMethods.filter((method) => ownerOf(method) === deployable)
}

/** The files that declare the public packages and everything they import, each after its imports. */
export const publicFiles: readonly DescFile[] = withImports([
  ...publicServices.map((service) => service.file),
  file_svc_realtime_v1_realtime,
])

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary'
}

function withImports(files: readonly DescFile[]): DescFile[] {
  const seen = new Set<DescFile>()
  const visit = (file: DescFile) => {
    if (seen.has(file)) return
    file.dependencies.forEach(visit)
    seen.add(file)
  }
  files.forEach(visit)
  return [...seen]
}
