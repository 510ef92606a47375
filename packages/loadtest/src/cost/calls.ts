import type { DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import * as admin from '@parley/contracts/admin'
import * as api from '@parley/contracts/api'
import { publicMethods } from '@parley/contracts/catalogue'
import type { HttpCaller } from '../load/http-caller.ts'
import { unsent, type Workplace } from './workplace.ts'

/** One kind of call whose cost is measured. */
export type MeasuredCall = {
  /** The name used in docs/performance.md. */
  name: string
  /** Number of calls that one `make` performs. */
  calls: number
  make: () => Promise<unknown>
}

/** Public reads that cannot be measured here, with the reason. */
export const notMeasured = new Map<string, string>([
  ['GetActiveCall', 'there is no call without a media server'],
  ['ListCallParticipants', 'there is no call without a media server'],
])

/** Every public read and common writes. Throws if a read is missing here. */
export function measuredCalls(http: HttpCaller, place: Workplace): MeasuredCall[] {
  return [...reads(http, place), ...writes(http, place)]
}

function reads(http: HttpCaller, place: Workplace): MeasuredCall[] {
  const requests = requestsOf(place)
  return publicMethods
    .filter((method) => method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
    .filter(({ name }) => !notMeasured.has(name))
    .map((method) => {
      const request = requests.get(method)
      if (!request && method.input.fields.length > 0)
        throw new Error(`no request of ${method.parent.name}.${method.name} is measured`)
      return { name: nameOf(method), calls: 1, make: () => http.call(method, request?.() ?? {}) }
    })
}

/** The method name, without the service if it is unique. */
function nameOf(method: DescMethodUnary): string {
  const more =
    method.localName === 'getRoomEvents' ? ' (50 rows)' : method.localName === 'listRooms' ? ' (35 rooms)' : ''
  const alone = publicMethods.filter(({ name }) => name === method.name).length === 1
  return `${alone ? '' : `${method.parent.name}.`}${method.name}${more}`
}

type Requests = Map<DescMethodUnary, () => Record<string, unknown>>

/** Requests for the reads that need arguments. */
function requestsOf(place: Workplace): Requests {
  const { roomId, groupId, eventIds, threadRootId, replyIds, assetId, mateId, notificationIds, rooms } = place
  const requests: Requests = new Map()
  const ask = <M extends DescMethodUnary>(method: M, request: () => MessageInitShape<M['input']>) =>
    void requests.set(method, request)
  const byId = { case: 'userId' as const, value: mateId }
  const middle = eventIds[eventIds.length >> 1] ?? ''

  ask(api.AssetService.method.getAsset, () => ({ roomId, assetId }))
  ask(api.AssetService.method.batchGetAssets, () => ({ roomId, assetIds: [assetId] }))
  ask(api.AssetUploadService.method.getUpload, () => ({ uploadId: place.uploadId }))
  ask(api.MessageService.method.getMessage, () => ({ roomId, eventId: middle }))
  ask(api.MessageService.method.batchGetMessages, () => ({ roomId, eventIds: eventIds.slice(0, 20) }))
  ask(api.MessageService.method.listReactionUsers, () => ({ roomId, messageEventId: middle, emoji: 'thumbsup' }))
  ask(api.NotificationPreferencesService.method.getRoomNotificationPreference, () => ({ roomId }))
  ask(api.NotificationService.method.listNotifications, () => ({}))
  ask(api.NotificationService.method.getNotification, () => ({ notificationId: notificationIds[0] ?? '' }))
  ask(api.NotificationService.method.batchGetNotifications, () => ({ notificationIds: [...notificationIds] }))
  ask(api.NotificationService.method.listRoomNotifications, () => ({ roomId }))
  ask(api.RoleService.method.getRole, () => ({ name: 'owner' }))
  ask(api.RoleService.method.batchGetRoles, () => ({ names: ['owner', 'admin', 'moderator'] }))
  ask(api.RoomDirectoryService.method.listRooms, () => ({}))
  ask(api.RoomDirectoryService.method.getRoomGroup, () => ({ groupId }))
  ask(api.RoomDirectoryService.method.batchGetRoomGroups, () => ({ groupIds: [groupId] }))
  ask(api.RoomDirectoryService.method.getRoom, () => ({ roomId }))
  ask(api.RoomDirectoryService.method.batchGetRooms, () => ({ roomIds: rooms.slice(0, 20) }))
  ask(api.RoomService.method.listMembers, () => ({ roomId }))
  ask(api.RoomService.method.getMember, () => ({ roomId, userId: mateId }))
  ask(api.RoomService.method.batchGetMembers, () => ({ roomId, userIds: [mateId] }))
  ask(api.RoomService.method.listBans, () => ({ roomId }))
  ask(api.RoomService.method.listRoomAttachments, () => ({ roomId }))
  ask(api.RoomService.method.getRoomEvents, () => ({ roomId, limit: 50 }))
  ask(api.RoomService.method.getRoomEventsAround, () => ({ roomId, eventId: middle, limit: 50 }))
  ask(api.ThreadService.method.listFollowedThreads, () => ({}))
  ask(api.ThreadService.method.getThreadEvents, () => ({ roomId, threadRootEventId: threadRootId, limit: 50 }))
  const reply = replyIds[replyIds.length >> 1] ?? ''
  const around = { roomId, threadRootEventId: threadRootId, eventId: reply, limit: 50 }
  ask(api.ThreadService.method.getThreadEventsAround, () => around)
  ask(api.UserService.method.listUsers, () => ({}))
  ask(api.UserService.method.getUser, () => ({ target: byId }))
  ask(api.UserService.method.batchGetUsers, () => ({ userIds: [mateId] }))
  ask(api.VoiceCallService.method.batchGetActiveCalls, () => ({ roomIds: rooms.slice(0, 20) }))
  ask(admin.AdminEventLogService.method.listEvents, () => ({}))
  ask(admin.AdminEventLogService.method.getEvent, () => ({ sequence: place.auditSequence }))
  const scope = { kind: admin.PermissionScopeKind.SERVER, id: '' }
  ask(admin.AdminPermissionService.method.getRolePermissionTierMatrix, () => ({ scope }))
  ask(admin.AdminPermissionService.method.getRolePermissionMatrix, () => ({ roleName: 'moderator' }))
  ask(admin.AdminPermissionService.method.listRolePermissionDecisions, () => ({ roleName: 'moderator' }))
  ask(admin.AdminPermissionService.method.getUserPermissionMatrix, () => ({ userId: mateId }))
  ask(admin.AdminPermissionService.method.listUserPermissionDecisions, () => ({ userId: mateId }))
  ask(admin.AdminPermissionService.method.explainPermissions, () => ({ userId: mateId, roomId }))
  ask(admin.AdminRoleService.method.getRole, () => ({ name: 'moderator' }))
  ask(admin.AdminUserService.method.listMembers, () => ({}))
  ask(admin.AdminUserService.method.getMember, () => ({ target: byId }))
  ask(admin.AdminUserService.method.batchGetMembers, () => ({ userIds: [mateId] }))
  ask(admin.AdminUserService.method.listInvites, () => ({}))
  return requests
}

/** Returns the ids in order, and begins again after the last. */
function inTurn(ids: readonly string[]): () => string {
  let turn = 0
  return () => ids[turn++ % ids.length] ?? ''
}

function writes(http: HttpCaller, place: Workplace): MeasuredCall[] {
  const rooms = inTurn(place.rooms.filter((id) => id !== place.unreadRoomId))
  return [...changesOfRooms(http, place, rooms), ...changesOfReader(http, place), ...otherWrites(http, rooms)]
}

function changesOfRooms(http: HttpCaller, { roomId, eventIds }: Workplace, nextRoom: () => string): MeasuredCall[] {
  const { createMessage, updateMessage, addReaction, removeReaction } = api.MessageService.method
  const next = inTurn(eventIds)
  let version = 0
  return [
    {
      name: 'CreateMessage',
      calls: 1,
      make: () =>
        http.call(createMessage, { roomId: nextRoom(), body: 'A message of ordinary length, as people write.' }),
    },
    {
      name: 'UpdateMessage',
      calls: 1,
      make: () => http.call(updateMessage, { roomId, eventId: next(), body: `changed ${version++}` }),
    },
    {
      name: 'AddReaction, RemoveReaction',
      calls: 2,
      make: async () => {
        const reaction = { roomId, messageEventId: next(), emoji: 'thumbsup' }
        await http.call(addReaction, reaction)
        await http.call(removeReaction, reaction)
      },
    },
  ]
}

function changesOfReader(http: HttpCaller, place: Workplace): MeasuredCall[] {
  const { roomId, unreadRoomId, unreadIds, threadRootId } = place
  const { followThread, unfollowThread } = api.ThreadService.method
  let marked = 0
  return [
    {
      name: 'FollowThread, UnfollowThread',
      calls: 2,
      make: async () => {
        await http.call(unfollowThread, { roomId, threadRootEventId: threadRootId })
        await http.call(followThread, { roomId, threadRootEventId: threadRootId })
      },
    },
    {
      name: 'MarkRoomAsRead',
      calls: 1,
      make: () => {
        // Markers only move forward.
        const upToEventId = unreadIds[marked++]
        if (upToEventId === undefined) throw new Error('everything is marked as read')
        return http.call(api.RoomService.method.markRoomAsRead, { roomId: unreadRoomId, upToEventId })
      },
    },
  ]
}

function otherWrites(http: HttpCaller, nextRoom: () => string): MeasuredCall[] {
  const { createUpload, cancelUpload } = api.AssetUploadService.method
  return [
    {
      name: 'UpdateTypingIndicator',
      calls: 1,
      make: () => http.call(api.RoomService.method.updateTypingIndicator, { roomId: nextRoom() }),
    },
    {
      name: 'UpdatePresence',
      calls: 1,
      make: () => http.call(api.MyAccountService.method.updatePresence, { status: api.PresenceStatus.ONLINE }),
    },
    {
      name: 'CreateUpload, CancelUpload',
      calls: 2,
      make: async () => {
        const { upload } = await http.call(createUpload, unsent(nextRoom()))
        await http.call(cancelUpload, { uploadId: upload?.uploadId ?? '' })
      },
    },
  ]
}
