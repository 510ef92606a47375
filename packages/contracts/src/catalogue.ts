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
import { type Deployable, deployableNames, propertiesOf } from './deployables.ts'
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

/**
 * The services of each deployable. `RoomService` has two owners: messaging owns `roomLogMethods`, rooms the other
 * methods.
 */
export const services = {
  gateway: {},
  realtime: {},
  accounts: {
    MyAccountService,
    UserService,
    ViewerService,
    ExternalIdentityAuthService,
    AdminUserService,
    AccountsInternalService,
    SignInInternalService,
    OperatorService,
    AccountsTransferService,
    AccountsParkedEventsService,
  },
  rooms: {
    RoomService,
    RoomDirectoryService,
    AdminRoomLayoutService,
    RoomsInternalService,
    RoomsTransferService,
    RoomsParkedEventsService,
  },
  messaging: {
    MessageService,
    ThreadService,
    RoomService,
    MessagingInternalService,
    MessagingTransferService,
    MessagingParkedEventsService,
  },
  admin: {
    AdminServerService,
    AdminRoleService,
    AdminPermissionService,
    AdminEventLogService,
    AdminDiagnosticsService,
    RoleService,
    ServerService,
    ServerDiscoveryService,
    AdminInternalService,
    AdminParkedEventsService,
  },
  uploads: {
    AssetUploadService,
    AssetService,
    UploadsInternalService,
    UploadsTransferService,
    UploadsOperatorService,
    UploadsParkedEventsService,
  },
  notifications: {
    NotificationService,
    NotificationPreferencesService,
    PushNotificationService,
    NotificationsInternalService,
    NotificationsParkedEventsService,
  },
  calls: { VoiceCallService, CallsParkedEventsService },
} as const satisfies Record<Deployable, Record<string, DescService>>

export type { Deployable } from './deployables.ts'

const roomLogMethods = [
  'listRoomAttachments',
  'updateTypingIndicator',
  'getRoomEvents',
  'getRoomEventsAround',
  'markRoomAsRead',
] as const satisfies (keyof typeof RoomService.method)[]

/** The local names of the methods of a service that a deployable answers. */
export type OwnedMethodName<D extends Deployable, S extends DescService> = S extends typeof RoomService
  ? D extends 'messaging'
    ? (typeof roomLogMethods)[number]
    : Exclude<keyof S['method'], (typeof roomLogMethods)[number]>
  : keyof S['method']

const packageOrder = ['api', 'admin', 'auth', 'discovery']
const packageOf = ({ typeName }: DescService) => packageOrder.indexOf(typeName.split('.')[1] ?? '')
const allServices = Object.values(services).flatMap((owned: Record<string, DescService>) => Object.values(owned))

/** The services that clients may call, by package, then by name. */
export const publicServices: readonly DescService[] = [...new Set(allServices)]
  .filter((service) => packageOf(service) >= 0)
  .sort((a, b) => packageOf(a) - packageOf(b) || (a.typeName < b.typeName ? -1 : 1))

/** The methods that clients may call, in the order of `publicServices`. All are unary. */
export const publicMethods: readonly DescMethodUnary[] = publicServices.flatMap((service) =>
  service.methods.filter(isUnary),
)

/** Path of a method below the RPC prefix, e.g. `/svc.api.v1.RoomService/CreateRoom`. */
export function methodPath(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`
}

/** The deployable that answers a public method; undefined for other methods. */
export function ownerOf(method: DescMethod): Deployable | undefined {
  return publicServices.includes(method.parent) ? findDeployable(method) : undefined
}

/** The deployable that answers a method, public or not. Throws a RangeError for an unknown method. */
export function deployableOf(method: DescMethod): Deployable {
  const owner = findDeployable(method)
  if (owner === undefined) throw new RangeError(`no deployable serves ${method.parent.typeName}.${method.name}`)
  return owner
}

/** The public methods a deployable answers, in the order of `publicMethods`; empty for gateway and realtime. */
export function ownedMethods(deployable: Deployable): DescMethodUnary[] {
  return publicMethods.filter((method) => ownerOf(method) === deployable)
}

/** Whether the manifest allows a deployable to call a method. */
export function mayCall(caller: string, method: DescMethod): boolean {
  const name = deployableNames.find((deployable) => deployable === caller)
  if (name === undefined) return false
  const { speaksForUsers = false, calls = [] } = propertiesOf(name)
  if (ownerOf(method) !== undefined) return speaksForUsers
  const service = method.parent.name
  return calls.includes(`${service}.*`) || calls.includes(`${service}.${method.name}`)
}

/** The files of the public packages and of what they import, each after its imports. */
export const publicFiles: readonly DescFile[] = withImports([
  ...publicServices.map((service) => service.file),
  file_svc_realtime_v1_realtime,
])

function findDeployable(method: DescMethod): Deployable | undefined {
  if (method.parent === RoomService)
    return roomLogMethods.some((name) => name === method.localName) ? 'messaging' : 'rooms'
  const deployables = Object.entries(services) as [Deployable, Record<string, DescService>][]
  return deployables.find(([, owned]) => Object.values(owned).includes(method.parent))?.[0]
}

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
