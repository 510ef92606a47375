import { createClient, type Transport } from '@connectrpc/connect'
import {
  AdminDiagnosticsService,
  AdminEventLogService,
  AdminPermissionService,
  AdminRoleService,
  AdminRoomLayoutService,
  AdminServerService,
  AdminUserService,
} from '@parley/contracts/admin'
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
} from '@parley/contracts/api'

/** One client per service of svc.api.v1: `message` is MessageService and so on. */
export type ApiServices = ReturnType<typeof apiServices>

/** One client per service of svc.admin.v1: `role` is AdminRoleService and so on. */
export type AdminServices = ReturnType<typeof adminServices>

export const apiServices = (transport: Transport) => ({
  asset: createClient(AssetService, transport),
  assetUpload: createClient(AssetUploadService, transport),
  message: createClient(MessageService, transport),
  myAccount: createClient(MyAccountService, transport),
  notification: createClient(NotificationService, transport),
  notificationPreferences: createClient(NotificationPreferencesService, transport),
  pushNotification: createClient(PushNotificationService, transport),
  role: createClient(RoleService, transport),
  room: createClient(RoomService, transport),
  roomDirectory: createClient(RoomDirectoryService, transport),
  server: createClient(ServerService, transport),
  thread: createClient(ThreadService, transport),
  user: createClient(UserService, transport),
  viewer: createClient(ViewerService, transport),
  voiceCall: createClient(VoiceCallService, transport),
})

export const adminServices = (transport: Transport) => ({
  diagnostics: createClient(AdminDiagnosticsService, transport),
  eventLog: createClient(AdminEventLogService, transport),
  permission: createClient(AdminPermissionService, transport),
  role: createClient(AdminRoleService, transport),
  roomLayout: createClient(AdminRoomLayoutService, transport),
  server: createClient(AdminServerService, transport),
  user: createClient(AdminUserService, transport),
})
