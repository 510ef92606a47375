import { expect, test } from '@jest/globals'
import { publicMethods } from '@parley/contracts/catalogue'
import { limitClassOf } from './limit-class.ts'

test.each([
  ['RoomDirectoryService/ListRooms', 'read'],
  ['ServerDiscoveryService/GetServer', 'read'],
  ['AssetUploadService/GetUpload', 'read'],
  ['MessageService/CreateMessage', 'write'],
  ['RoomService/UpdateTypingIndicator', 'write'],
  ['MyAccountService/DeleteAvatar', 'write'],
  ['UserService/ListUsers', 'search'],
  ['AdminEventLogService/ListEvents', 'search'],
  ['MessageService/FetchLinkPreview', 'outbound'],
  ['PushNotificationService/Subscribe', 'outbound'],
  ['PushNotificationService/Unsubscribe', 'write'],
  ['MyAccountService/UploadAvatar', 'upload'],
  ['AdminServerService/UploadServerBanner', 'upload'],
  ['AssetUploadService/UploadChunk', 'upload'],
])('%s has the limit class %s', (name, limit) => {
  const method = publicMethods.find(({ parent, name: own }) => `${parent.name}/${own}` === name)
  expect(method && limitClassOf(method)).toBe(limit)
})
