import type { DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import * as admin from '@parley/contracts/admin'
import * as api from '@parley/contracts/api'
import { publicMethods } from '@parley/contracts/catalogue'
import type { HttpCaller } from '../load/http-caller.ts'
import { uploadRequest, type BenchmarkData } from './benchmark-data.ts'

export type MeasuredCall = {
  name: string
  /** How many calls one run of `make` makes. */
  callsPerRun: number
  make: () => Promise<unknown>
  /** Pause after the last call, in milliseconds, in which its follow-up work is still counted; 0 for reads. */
  settleMs: number
}

type Call = Omit<MeasuredCall, 'settleMs'>

/** Writes have follow-up work, such as publishing and consuming their events. */
const writeSettleMs = 150

export const unmeasuredReads = new Map<string, string>([
  ['GetActiveCall', 'there is no call without a media server'],
  ['ListCallParticipants', 'there is no call without a media server'],
])

/**
 * The common writes, and every public read that is not in {@link unmeasuredReads}. Throws if a read whose request has
 * fields has no sample request.
 */
export function measuredCalls(http: HttpCaller, data: BenchmarkData): MeasuredCall[] {
  return [
    ...reads(http, data).map((call) => ({ ...call, settleMs: 0 })),
    ...writes(http, data).map((call) => ({ ...call, settleMs: writeSettleMs })),
  ]
}

function reads(http: HttpCaller, data: BenchmarkData): Call[] {
  const requests = createSampleRequests(data)
  return publicMethods
    .filter((method) => method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
    .filter(({ name }) => !unmeasuredReads.has(name))
    .map((method) => {
      const request = requests.get(method)
      if (!request && method.input.fields.length > 0)
        throw new Error(
          `${method.parent.name}.${method.name} has no sample request: add one to createSampleRequests, or list it in unmeasuredReads`,
        )
      return { name: nameOf(method), callsPerRun: 1, make: () => http.call(method, request?.() ?? {}) }
    })
}

function nameOf(method: DescMethodUnary): string {
  const size =
    method.localName === 'getRoomEvents' ? ' (50 rows)' : method.localName === 'listRooms' ? ' (35 rooms)' : ''
  const isUnique = publicMethods.filter(({ name }) => name === method.name).length === 1
  return `${isUnique ? '' : `${method.parent.name}.`}${method.name}${size}`
}

type Requests = Map<DescMethodUnary, () => Record<string, unknown>>

function createSampleRequests(data: BenchmarkData): Requests {
  const { roomId, groupId, eventIds, threadRootId, replyIds, assetId, otherMemberId, notificationIds, rooms } = data
  const requests: Requests = new Map()
  const define = <M extends DescMethodUnary>(method: M, request: () => MessageInitShape<M['input']>) =>
    void requests.set(method, request)
  const byId = { case: 'userId' as const, value: otherMemberId }
  const middle = eventIds[eventIds.length >> 1] ?? ''

  define(api.AssetService.method.getAsset, () => ({ roomId, assetId }))
  define(api.AssetService.method.batchGetAssets, () => ({ roomId, assetIds: [assetId] }))
  define(api.AssetUploadService.method.getUpload, () => ({ uploadId: data.uploadId }))
  define(api.MessageService.method.getMessage, () => ({ roomId, eventId: middle }))
  define(api.MessageService.method.batchGetMessages, () => ({ roomId, eventIds: eventIds.slice(0, 20) }))
  define(api.MessageService.method.listReactionUsers, () => ({ roomId, messageEventId: middle, emoji: 'thumbsup' }))
  define(api.NotificationPreferencesService.method.getRoomNotificationPreference, () => ({ roomId }))
  define(api.NotificationService.method.listNotifications, () => ({}))
  define(api.NotificationService.method.getNotification, () => ({ notificationId: notificationIds[0] ?? '' }))
  define(api.NotificationService.method.batchGetNotifications, () => ({ notificationIds: [...notificationIds] }))
  define(api.NotificationService.method.listRoomNotifications, () => ({ roomId }))
  define(api.RoleService.method.getRole, () => ({ name: 'owner' }))
  define(api.RoleService.method.batchGetRoles, () => ({ names: ['owner', 'admin', 'moderator'] }))
  define(api.RoomDirectoryService.method.listRooms, () => ({}))
  define(api.RoomDirectoryService.method.getRoomGroup, () => ({ groupId }))
  define(api.RoomDirectoryService.method.batchGetRoomGroups, () => ({ groupIds: [groupId] }))
  define(api.RoomDirectoryService.method.getRoom, () => ({ roomId }))
  define(api.RoomDirectoryService.method.batchGetRooms, () => ({ roomIds: rooms.slice(0, 20) }))
  define(api.RoomService.method.listMembers, () => ({ roomId }))
  define(api.RoomService.method.getMember, () => ({ roomId, userId: otherMemberId }))
  define(api.RoomService.method.batchGetMembers, () => ({ roomId, userIds: [otherMemberId] }))
  define(api.RoomService.method.listBans, () => ({ roomId }))
  define(api.RoomService.method.listRoomAttachments, () => ({ roomId }))
  define(api.RoomService.method.getRoomEvents, () => ({ roomId, limit: 50 }))
  define(api.RoomService.method.getRoomEventsAround, () => ({ roomId, eventId: middle, limit: 50 }))
  define(api.ThreadService.method.listFollowedThreads, () => ({}))
  define(api.ThreadService.method.getThreadEvents, () => ({ roomId, threadRootEventId: threadRootId, limit: 50 }))
  const reply = replyIds[replyIds.length >> 1] ?? ''
  const around = { roomId, threadRootEventId: threadRootId, eventId: reply, limit: 50 }
  define(api.ThreadService.method.getThreadEventsAround, () => around)
  define(api.UserService.method.listUsers, () => ({}))
  define(api.UserService.method.getUser, () => ({ target: byId }))
  define(api.UserService.method.batchGetUsers, () => ({ userIds: [otherMemberId] }))
  define(api.VoiceCallService.method.batchGetActiveCalls, () => ({ roomIds: rooms.slice(0, 20) }))
  define(admin.AdminEventLogService.method.listEvents, () => ({}))
  define(admin.AdminEventLogService.method.getEvent, () => ({ sequence: data.auditSequence }))
  const scope = { kind: admin.PermissionScopeKind.SERVER, id: '' }
  define(admin.AdminPermissionService.method.getRolePermissionTierMatrix, () => ({ scope }))
  define(admin.AdminPermissionService.method.getRolePermissionMatrix, () => ({ roleName: 'moderator' }))
  define(admin.AdminPermissionService.method.listRolePermissionDecisions, () => ({ roleName: 'moderator' }))
  define(admin.AdminPermissionService.method.getUserPermissionMatrix, () => ({ userId: otherMemberId }))
  define(admin.AdminPermissionService.method.listUserPermissionDecisions, () => ({ userId: otherMemberId }))
  define(admin.AdminPermissionService.method.explainPermissions, () => ({ userId: otherMemberId, roomId }))
  define(admin.AdminRoleService.method.getRole, () => ({ name: 'moderator' }))
  define(admin.AdminUserService.method.listMembers, () => ({}))
  define(admin.AdminUserService.method.getMember, () => ({ target: byId }))
  define(admin.AdminUserService.method.batchGetMembers, () => ({ userIds: [otherMemberId] }))
  define(admin.AdminUserService.method.listInvites, () => ({}))
  return requests
}

/** Returns the ids in turn, over and over. */
function roundRobin(ids: readonly string[]): () => string {
  let turn = 0
  return () => ids[turn++ % ids.length] ?? ''
}

function writes(http: HttpCaller, data: BenchmarkData): Call[] {
  const rooms = roundRobin(data.rooms.filter((id) => id !== data.unreadRoomId))
  return [...messageWrites(http, data, rooms), ...readStateWrites(http, data), ...otherWrites(http, rooms)]
}

function messageWrites(http: HttpCaller, { roomId, eventIds }: BenchmarkData, nextRoom: () => string): Call[] {
  const { createMessage, updateMessage, addReaction, removeReaction } = api.MessageService.method
  const next = roundRobin(eventIds)
  let version = 0
  return [
    {
      name: 'CreateMessage',
      callsPerRun: 1,
      make: () =>
        http.call(createMessage, { roomId: nextRoom(), body: 'A message of ordinary length, as people write.' }),
    },
    {
      name: 'UpdateMessage',
      callsPerRun: 1,
      make: () => http.call(updateMessage, { roomId, eventId: next(), body: `changed ${version++}` }),
    },
    {
      name: 'AddReaction, RemoveReaction',
      callsPerRun: 2,
      make: async () => {
        const reaction = { roomId, messageEventId: next(), emoji: 'thumbsup' }
        await http.call(addReaction, reaction)
        await http.call(removeReaction, reaction)
      },
    },
  ]
}

function readStateWrites(http: HttpCaller, data: BenchmarkData): Call[] {
  const { roomId, unreadRoomId, unreadIds, threadRootId } = data
  const { followThread, unfollowThread } = api.ThreadService.method
  let marked = 0
  return [
    {
      name: 'FollowThread, UnfollowThread',
      callsPerRun: 2,
      make: async () => {
        await http.call(unfollowThread, { roomId, threadRootEventId: threadRootId })
        await http.call(followThread, { roomId, threadRootEventId: threadRootId })
      },
    },
    {
      name: 'MarkRoomAsRead',
      callsPerRun: 1,
      make: () => {
        // Read markers only move forward, so each message is used once.
        const upToEventId = unreadIds[marked++]
        if (upToEventId === undefined) throw new Error('all messages are already marked as read')
        return http.call(api.RoomService.method.markRoomAsRead, { roomId: unreadRoomId, upToEventId })
      },
    },
  ]
}

function otherWrites(http: HttpCaller, nextRoom: () => string): Call[] {
  const { createUpload, cancelUpload } = api.AssetUploadService.method
  return [
    {
      name: 'UpdateTypingIndicator',
      callsPerRun: 1,
      make: () => http.call(api.RoomService.method.updateTypingIndicator, { roomId: nextRoom() }),
    },
    {
      name: 'UpdatePresence',
      callsPerRun: 1,
      make: () => http.call(api.MyAccountService.method.updatePresence, { status: api.PresenceStatus.ONLINE }),
    },
    {
      name: 'CreateUpload, CancelUpload',
      callsPerRun: 2,
      make: async () => {
        const { upload } = await http.call(createUpload, uploadRequest(nextRoom()))
        await http.call(cancelUpload, { uploadId: upload?.uploadId ?? '' })
      },
    },
  ]
}
