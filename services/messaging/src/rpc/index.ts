import { parkedEventsService } from '@parley/events'
import { handlersOf } from '@parley/rpc'
import type { Context } from '../context.ts'
import { applyNotificationLevel } from './internal/apply-notification-level.ts'
import { applyRoomEvents } from './internal/apply-room-events.ts'
import { applyRoomFacts } from './internal/apply-room-facts.ts'
import { findFileUses } from './internal/find-file-uses.ts'
import { hasUnread } from './internal/has-unread.ts'
import { listThreadFollowers } from './internal/list-thread-followers.ts'
import { previewMessages } from './internal/preview-messages.ts'
import { roomStates } from './internal/room-states.ts'
import { addReaction } from './message/add-reaction.ts'
import { batchGetMessages } from './message/batch-get-messages.ts'
import { createMessage } from './message/create-message.ts'
import { deleteAttachment } from './message/delete-attachment.ts'
import { deleteLinkPreview } from './message/delete-link-preview.ts'
import { deleteMessage } from './message/delete-message.ts'
import { fetchLinkPreview } from './message/fetch-link-preview.ts'
import { getMessage } from './message/get-message.ts'
import { listReactionUsers } from './message/list-reaction-users.ts'
import { removeReaction } from './message/remove-reaction.ts'
import { updateMessage } from './message/update-message.ts'
import { getRoomEvents } from './room/get-room-events.ts'
import { getRoomEventsAround } from './room/get-room-events-around.ts'
import { listRoomAttachments } from './room/list-room-attachments.ts'
import { markRoomAsRead } from './room/mark-room-as-read.ts'
import { updateTypingIndicator } from './room/update-typing-indicator.ts'
import { followThread } from './thread/follow-thread.ts'
import { getThreadEventsAround } from './thread/get-thread-events-around.ts'
import { getThreadEvents } from './thread/get-thread-events.ts'
import { listFollowedThreads } from './thread/list-followed-threads.ts'
import { markThreadAsRead } from './thread/mark-thread-as-read.ts'
import { unfollowThread } from './thread/unfollow-thread.ts'
import { exportMessages } from './transfer/export-messages.ts'
import { findImportedMessages } from './transfer/find-imported-messages.ts'
import { finishImport } from './transfer/finish-import.ts'
import { importMessages } from './transfer/import-messages.ts'
import { importProgress } from './transfer/import-progress.ts'

export const routes = (ctx: Context) =>
  handlersOf('messaging', {
    MessageService: {
      createMessage: createMessage(ctx),
      updateMessage: updateMessage(ctx),
      deleteMessage: deleteMessage(ctx),
      deleteAttachment: deleteAttachment(ctx),
      deleteLinkPreview: deleteLinkPreview(ctx),
      getMessage: getMessage(ctx),
      batchGetMessages: batchGetMessages(ctx),
      fetchLinkPreview: fetchLinkPreview(ctx),
      addReaction: addReaction(ctx),
      removeReaction: removeReaction(ctx),
      listReactionUsers: listReactionUsers(ctx),
    },
    RoomService: {
      getRoomEvents: getRoomEvents(ctx),
      getRoomEventsAround: getRoomEventsAround(ctx),
      listRoomAttachments: listRoomAttachments(ctx),
      markRoomAsRead: markRoomAsRead(ctx),
      updateTypingIndicator: updateTypingIndicator(ctx),
    },
    ThreadService: {
      listFollowedThreads: listFollowedThreads(ctx),
      followThread: followThread(ctx),
      unfollowThread: unfollowThread(ctx),
      getThreadEvents: getThreadEvents(ctx),
      getThreadEventsAround: getThreadEventsAround(ctx),
      markThreadAsRead: markThreadAsRead(ctx),
    },
    MessagingInternalService: {
      applyNotificationLevel: applyNotificationLevel(ctx),
      applyRoomFacts: applyRoomFacts(ctx),
      applyRoomEvents: applyRoomEvents(ctx),
      listThreadFollowers: listThreadFollowers(ctx),
      previewMessages: previewMessages(ctx),
      roomStates: roomStates(ctx),
      hasUnread: hasUnread(ctx),
      findFileUses: findFileUses(ctx),
    },
    MessagingTransferService: {
      findImportedMessages: findImportedMessages(ctx),
      importProgress: importProgress(ctx),
      importMessages: importMessages(ctx),
      finishImport: finishImport(ctx),
      exportMessages: exportMessages(ctx),
    },
    MessagingParkedEventsService: parkedEventsService(ctx.db),
  })
