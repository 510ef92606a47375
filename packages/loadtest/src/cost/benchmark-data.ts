import { createHash } from 'node:crypto'
import { AdminEventLogService, AdminUserService } from '@parley/contracts/admin'
import {
  AssetUploadService,
  MessageService,
  NotificationService,
  RoomService,
  ThreadService,
} from '@parley/contracts/api'
import type { Fleet } from '@parley/local'
import { HttpCaller } from '../load/http-caller.ts'
import { photos, postImages } from '../load/images.ts'
import { lengthen, messageId } from '../load/long-room.ts'
import { firstGroup, newRoom } from '../load/rooms.ts'

const roomCount = 35
const messageCount = 120
const replyCount = 40
/** More than are marked as read in one measurement. */
const unread = { messages: 20_000, replies: 2_000 }

/** The data that the benchmark calls use: an ordinary server and a user in 35 rooms. */
export type BenchmarkData = {
  groupId: string
  /** Rooms of the caller; the first one holds the messages, the thread, the file and the people. */
  rooms: readonly string[]
  roomId: string
  /** One of the rooms, in which the caller has read nothing, and its messages, oldest first. */
  unreadRoomId: string
  unreadIds: readonly string[]
  /** Messages of the first room, oldest first. */
  eventIds: readonly string[]
  threadRootId: string
  replyIds: readonly string[]
  assetId: string
  uploadId: string
  /** Another user, a member of the first room. */
  otherMemberId: string
  notificationIds: readonly string[]
  /** Sequence of an audit log entry. */
  auditSequence: string
}

const body = 'A message of ordinary length, as people write them all day long.'
const password = 'a password of the bench'

/** Creates the benchmark data of the signed-in owner. */
export async function createBenchmarkData(
  fleet: Fleet,
  http: HttpCaller,
  owner: { login: string },
): Promise<BenchmarkData> {
  const groupId = await firstGroup(http)
  const rooms: string[] = []
  for (let n = 0; n < roomCount; n++) rooms.push(await newRoom(http, `workplace-${n}`, groupId))
  const [roomId = '', unreadRoomId = ''] = rooms
  const login = 'mate'
  const { member } = await http.call(AdminUserService.method.createUser, { login, password, displayName: 'Mate' })
  const otherMemberId = member?.user?.id ?? ''
  await http.call(RoomService.method.addMember, { roomId, userId: otherMemberId })
  await lengthen(fleet, unreadRoomId, otherMemberId, unread)
  await http.call(AdminUserService.method.createInvite, { label: 'bench' })
  using mate = new HttpCaller(fleet.url)
  await mate.signIn({ login, password })

  const eventIds: string[] = []
  for (let n = 0; n < messageCount; n++) eventIds.push(await post(n % 2 ? mate : http, { roomId, body }))
  const threadRootId = eventIds[0] ?? ''
  const replyIds: string[] = []
  for (let n = 0; n < replyCount; n++)
    replyIds.push(await post(n % 2 ? mate : http, { roomId, body, threadRootEventId: threadRootId }))
  for (let n = 0; n < 10; n++) await post(mate, { roomId, body: `@${owner.login} ${body}` })
  await http.call(ThreadService.method.followThread, { roomId, threadRootEventId: threadRootId })
  await http.call(RoomService.method.startDM, { participantIds: [otherMemberId] })
  const [assetId = ''] = await postImages(http, roomId, await photos(1))
  const { upload } = await http.call(AssetUploadService.method.createUpload, uploadRequest(roomId))
  return {
    ...{ groupId, rooms, roomId, unreadRoomId, eventIds, threadRootId, replyIds, assetId, otherMemberId },
    // Every tenth is a reply.
    unreadIds: Array.from({ length: unread.messages }, (_, n) => n + 1)
      .filter((n) => n % 10 > 0)
      .map(messageId),
    uploadId: upload?.uploadId ?? '',
    notificationIds: await notificationsOf(http),
    auditSequence: await auditSequence(http),
  }
}

/** A CreateUpload request for a file whose bytes are never sent. */
export function uploadRequest(roomId: string) {
  const sha256 = createHash('sha256').update('never sent').digest('hex')
  return { roomId, filename: 'notes.txt', contentType: 'text/plain', size: 10n, sha256 }
}

async function post(
  http: HttpCaller,
  message: { roomId: string; body: string; threadRootEventId?: string },
): Promise<string> {
  const { message: posted } = await http.call(MessageService.method.createMessage, message)
  if (!posted) throw new Error('the message was not posted')
  return posted.id
}

/** Waits until the posts have caused their calls: notifications are created after the response. */
async function notificationsOf(http: HttpCaller): Promise<string[]> {
  for (let n = 0; n < 200; n++) {
    const { notifications } = await http.call(NotificationService.method.listNotifications, {})
    if (notifications.length > 0) return notifications.map(({ id }) => id)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('nobody was notified')
}

async function auditSequence(http: HttpCaller): Promise<string> {
  const { entries } = await http.call(AdminEventLogService.method.listEvents, {})
  if (!entries[0]) throw new Error('the audit log is empty')
  return entries[0].sequence
}
