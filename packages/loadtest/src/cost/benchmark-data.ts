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
import { createPhotos, postImages } from '../load/images.ts'
import { writeMessages, messageId } from '../load/long-room.ts'
import { findGroupId, createRoom } from '../load/rooms.ts'

const roomCount = 35
const messageCount = 120
const replyCount = 40
/** What the caller has not read in the second room: more than a measurement can mark as read. */
const unread = { messages: 20_000, replies: 2_000 }

export type BenchmarkData = {
  groupId: string
  rooms: readonly string[]
  /** The first of `rooms`, with the messages, the thread, the file and the other member. */
  roomId: string
  /** The caller has read nothing in this second room. */
  unreadRoomId: string
  /** Without replies, oldest first. */
  unreadIds: readonly string[]
  eventIds: readonly string[]
  threadRootId: string
  replyIds: readonly string[]
  assetId: string
  uploadId: string
  otherMemberId: string
  notificationIds: readonly string[]
  auditSequence: string
}

const body = 'A message of ordinary length, as people write them all day long.'
const password = 'a password of the bench'

export async function createBenchmarkData(
  fleet: Fleet,
  http: HttpCaller,
  owner: { login: string },
): Promise<BenchmarkData> {
  const groupId = await findGroupId(http)
  const rooms: string[] = []
  for (let n = 0; n < roomCount; n++) rooms.push(await createRoom(http, `workplace-${n}`, groupId))
  const [roomId = '', unreadRoomId = ''] = rooms
  const login = 'colleague'
  const { member } = await http.call(AdminUserService.method.createUser, { login, password, displayName: 'Colleague' })
  const otherMemberId = member?.user?.id ?? ''
  await http.call(RoomService.method.addMember, { roomId, userId: otherMemberId })
  await writeMessages(fleet, unreadRoomId, otherMemberId, unread)
  await http.call(AdminUserService.method.createInvite, { label: 'bench' })
  using otherMember = new HttpCaller(fleet.url)
  await otherMember.signIn({ login, password })

  const eventIds: string[] = []
  for (let n = 0; n < messageCount; n++) eventIds.push(await post(n % 2 ? otherMember : http, { roomId, body }))
  const threadRootId = eventIds[0] ?? ''
  const replyIds: string[] = []
  for (let n = 0; n < replyCount; n++)
    replyIds.push(await post(n % 2 ? otherMember : http, { roomId, body, threadRootEventId: threadRootId }))
  await http.call(ThreadService.method.followThread, { roomId, threadRootEventId: threadRootId })
  await http.call(RoomService.method.startDM, { participantIds: [otherMemberId] })
  const [assetId = ''] = await postImages(http, roomId, await createPhotos(1))
  const { upload } = await http.call(AssetUploadService.method.createUpload, uploadRequest(roomId))
  // Last, because the caller's own posts dismiss earlier notifications.
  const mentionIds: string[] = []
  for (let n = 0; n < 10; n++) mentionIds.push(await post(otherMember, { roomId, body: `@${owner.login} ${body}` }))
  return {
    ...{ groupId, rooms, roomId, unreadRoomId, eventIds, threadRootId, replyIds, assetId, otherMemberId },
    // Every tenth message is a reply.
    unreadIds: Array.from({ length: unread.messages }, (_, n) => n + 1)
      .filter((n) => n % 10 > 0)
      .map(messageId),
    uploadId: upload?.uploadId ?? '',
    notificationIds: await waitForMentions(http, mentionIds),
    auditSequence: await findAuditSequence(http),
  }
}

export function uploadRequest(roomId: string) {
  const sha256 = createHash('sha256').update('never sent').digest('hex')
  return { roomId, filename: 'notes.txt', contentType: 'text/plain', size: 10n, sha256 }
}

async function post(
  http: HttpCaller,
  message: { roomId: string; body: string; threadRootEventId?: string },
): Promise<string> {
  const { message: posted } = await http.call(MessageService.method.createMessage, message)
  if (!posted) throw new Error('CreateMessage returned no message')
  return posted.id
}

/** Returns the ids of the notifications of these messages, which are created after the response of a post. */
async function waitForMentions(http: HttpCaller, messageIds: readonly string[]): Promise<string[]> {
  for (let n = 0; n < 200; n++) {
    const { notifications } = await http.call(NotificationService.method.listNotifications, {})
    const found = notifications.filter(({ kind }) => kind.case === 'mention' && messageIds.includes(kind.value.eventId))
    if (found.length === messageIds.length) return found.map(({ id }) => id)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('not every mention caused a notification within ten seconds')
}

async function findAuditSequence(http: HttpCaller): Promise<string> {
  const { entries } = await http.call(AdminEventLogService.method.listEvents, {})
  if (!entries[0]) throw new Error('the audit log is empty')
  return entries[0].sequence
}
