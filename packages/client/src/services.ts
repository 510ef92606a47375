import { createClient, type Transport } from '@connectrpc/connect'
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

/** A client for each service: `message` for MessageService, and so on. */
export type ApiServices = ReturnType<typeof apiServices>

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
