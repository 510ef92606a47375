import type { RealtimeEventEnvelope } from '@parley/client/contract'
import { conversationOf } from '../store/unsent.ts'
import type { FollowedThreads } from './followed-threads.ts'
import type { Inbox } from './inbox.ts'
import type { People } from './people.ts'
import type { Rooms } from './rooms.ts'
import type { Timeline } from './timeline.ts'
import type { Typing } from './typing.ts'

export type EventReceiver = {
  userId: string
  people: People
  rooms: Rooms
  inbox: Inbox
  followed: FollowedThreads
  typing: Typing
  timelineAt(conversation: string): Timeline | undefined
  timelinesOf(roomId: string): Timeline[]
  refreshMessage(roomId: string, messageId: string): void
  onMemberDeleted(userId: string, at: RealtimeEventEnvelope['createdAt']): void
  reloadSidebar(): void
  reloadServer(): void
  reloadViewerSoon(): void
}

// eslint-disable-next-line max-lines-per-function -- one short case per kind of event
export function applyEvent(chat: EventReceiver, { event, actorId = '', createdAt }: RealtimeEventEnvelope): void {
  switch (event.case) {
    case 'messagePosted': {
      const { roomId, threadRootEventId = '' } = event.value
      const conversation = conversationOf({ roomId, threadRootEventId })
      chat.typing.onTypingEnded(conversation, actorId)
      chat.timelineAt(conversation)?.onNewRows()
      if (threadRootEventId === '') return chat.rooms.onMessagePosted(roomId, actorId)
      chat.followed.refreshIfNeeded()
      return chat.refreshMessage(roomId, threadRootEventId)
    }
    case 'threadFollowChanged':
      chat.followed.refreshIfNeeded()
      return chat.refreshMessage(event.value.roomId, event.value.threadRootEventId)
    case 'notificationCreated':
      return chat.inbox.refresh()
    case 'notificationDismissed':
      return chat.inbox.remove(event.value.notificationId)
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
      for (const timeline of chat.timelinesOf(roomId)) timeline.onAttachmentDeleted(assetId)
      return
    }
    case 'threadCreated':
      return chat.refreshMessage(event.value.roomId, event.value.threadRootEventId)
    case 'messageRetracted': {
      const { roomId, messageEventId, threadRootEventId } = event.value
      for (const timeline of chat.timelinesOf(roomId)) timeline.onRetracted(messageEventId, createdAt)
      chat.rooms.onMessageRetracted(roomId)
      if (threadRootEventId === undefined) return
      chat.followed.refreshIfNeeded()
      return chat.refreshMessage(roomId, threadRootEventId)
    }
    case 'userTyping': {
      const { roomId, threadRootEventId = '' } = event.value
      return chat.typing.onTyping(conversationOf({ roomId, threadRootEventId }), actorId)
    }
    case 'roomCreated':
    case 'roomUpdated':
    case 'roomArchived':
    case 'roomUnarchived': {
      const { roomId } = event.value
      chat.timelineAt(conversationOf({ roomId, threadRootEventId: '' }))?.onNewRows()
      return chat.rooms.refresh(roomId)
    }
    case 'userJoinedRoom':
    case 'userLeftRoom': {
      const { roomId } = event.value
      const isOver = event.case === 'userLeftRoom' && actorId === chat.userId
      if (!isOver) chat.timelineAt(conversationOf({ roomId, threadRootEventId: '' }))?.onNewRows()
      return chat.rooms.onMemberChanged(roomId, actorId)
    }
    case 'roomMarkedAsRead':
      return chat.rooms.onMarkedAsRead(event.value.roomId)
    case 'roomUniversalChanged':
      return chat.rooms.refresh(event.value.roomId)
    case 'roomGroupsUpdated':
      return chat.reloadSidebar()
    case 'notificationLevelChanged':
    case 'permissionsChanged':
      return chat.reloadViewerSoon()
    case 'serverUpdated':
      return chat.reloadServer()
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
      return chat.onMemberDeleted(event.value.userId, createdAt)
    case 'userCustomStatusCleared':
      return chat.people.clearCustomStatus(event.value.userId)
    default:
  }
}
