import type { RealtimeEventEnvelope } from '@parley/client/contract'
import { placeOf } from '../store/unsent.ts'
import type { FollowedThreads } from './followed-threads.ts'
import type { Inbox } from './inbox.ts'
import type { People } from './people.ts'
import type { Rooms } from './rooms.ts'
import type { Timeline } from './timeline.ts'
import type { Typing } from './typing.ts'

/** Receives events. */
export type Follower = {
  userId: string
  people: People
  rooms: Rooms
  inbox: Inbox
  followed: FollowedThreads
  typing: Typing
  timelineAt(place: string): Timeline | undefined
  timelinesOf(roomId: string): Timeline[]
  refreshMessage(roomId: string, messageId: string): void
  memberDeleted(userId: string, at: RealtimeEventEnvelope['createdAt']): void
  readSidebar(): void
  readServer(): void
  viewerChanged(): void
}

/** Updates or reloads the parts of the page that an event affects. Kinds that are not displayed are left out. */
// eslint-disable-next-line max-lines-per-function -- a line or two per kind of event, and a reader looks for one kind
export function takeEvent(chat: Follower, { event, actorId = '', createdAt }: RealtimeEventEnvelope): void {
  switch (event.case) {
    case 'messagePosted': {
      const { roomId, threadRootEventId = '' } = event.value
      const place = placeOf({ roomId, threadRootEventId })
      chat.typing.ended(place, actorId)
      chat.timelineAt(place)?.rowsCame()
      if (threadRootEventId === '') return chat.rooms.posted(roomId, actorId)
      chat.followed.changed()
      return chat.refreshMessage(roomId, threadRootEventId)
    }
    case 'threadFollowChanged':
      chat.followed.changed()
      return chat.refreshMessage(event.value.roomId, event.value.threadRootEventId)
    case 'notificationCreated':
      return chat.inbox.refresh()
    case 'notificationDismissed':
      return chat.inbox.gone(event.value.notificationId)
    case 'messageEdited':
    case 'reactionAdded':
    case 'reactionRemoved':
      return chat.refreshMessage(event.value.roomId, event.value.messageEventId)
    case 'assetProcessingStarted':
    case 'assetProcessingSucceeded':
    case 'assetProcessingFailed': {
      const { roomId = '', messageEventId = '' } = event.value
      return chat.refreshMessage(roomId, messageEventId)
    }
    case 'assetDeleted': {
      const { roomId = '', assetId } = event.value
      for (const timeline of chat.timelinesOf(roomId)) timeline.attachmentDeleted(assetId)
      return
    }
    case 'threadCreated':
      return chat.refreshMessage(event.value.roomId, event.value.threadRootEventId)
    case 'messageRetracted': {
      const { roomId, messageEventId } = event.value
      for (const timeline of chat.timelinesOf(roomId)) timeline.retracted(messageEventId, createdAt)
      return chat.rooms.retracted(roomId)
    }
    case 'userTyping': {
      const { roomId, threadRootEventId = '' } = event.value
      return chat.typing.started(placeOf({ roomId, threadRootEventId }), actorId)
    }
    case 'roomCreated':
    case 'roomUpdated':
    case 'roomArchived':
    case 'roomUnarchived': {
      const { roomId } = event.value
      chat.timelineAt(placeOf({ roomId, threadRootEventId: '' }))?.rowsCame()
      return chat.rooms.refresh(roomId)
    }
    case 'userJoinedRoom':
    case 'userLeftRoom': {
      const { roomId } = event.value
      const isOver = event.case === 'userLeftRoom' && actorId === chat.userId
      if (!isOver) chat.timelineAt(placeOf({ roomId, threadRootEventId: '' }))?.rowsCame()
      return chat.rooms.memberChanged(roomId, actorId)
    }
    case 'roomMarkedAsRead':
      return chat.rooms.markedAsRead(event.value.roomId)
    case 'roomUniversalChanged':
      return chat.rooms.refresh(event.value.roomId)
    case 'roomGroupsUpdated':
      return chat.readSidebar()
    case 'notificationLevelChanged':
    case 'permissionsChanged':
      return chat.viewerChanged()
    case 'serverUpdated':
      return chat.readServer()
    case 'presenceChanged':
      return chat.people.patch(event.value.userId, { presenceStatus: event.value.status })
    case 'userProfileUpdated': {
      const { userId, login, displayName, avatarUrl = '' } = event.value
      return chat.people.patch(userId, { login, displayName, avatarUrl })
    }
    case 'userCustomStatusSet': {
      const { userId, emoji, text, expiresAt } = event.value
      const customStatus = { $typeName: 'svc.api.v1.CustomUserStatus' as const, emoji, text }
      return chat.people.patch(userId, { customStatus: expiresAt ? { ...customStatus, expiresAt } : customStatus })
    }
    case 'serverMemberDeleted':
      return chat.memberDeleted(event.value.userId, createdAt)
    case 'userCustomStatusCleared':
      return chat.people.clearCustomStatus(event.value.userId)
    default:
  }
}
