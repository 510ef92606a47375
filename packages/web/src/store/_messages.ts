import type { Message, RoomTimelineEvent, RoomTimelinePage } from '@parley/client/contract'

/** `at`: time in minutes. */
export function messageFor(
  id: string,
  { by = 'U1', at = 0, ...rest }: Partial<Message> & { by?: string; at?: number } = {},
) {
  const message: Message = {
    $typeName: 'svc.api.v1.Message',
    ...{ id, roomId: 'R1', actorId: by, body: id, attachments: [], reactions: [] },
    ...{
      inReplyTo: '',
      threadRootEventId: '',
      echoOfEventId: '',
      echoFromThreadRootEventId: '',
      channelEchoEventId: '',
    },
    createdAt: { $typeName: 'google.protobuf.Timestamp', seconds: BigInt(at * 60), nanos: 0 },
    ...rest,
  }
  return message
}

export function rowFor(...given: Parameters<typeof messageFor>): RoomTimelineEvent {
  const message = messageFor(...given)
  const { id, actorId, createdAt } = message
  return {
    $typeName: 'svc.api.v1.RoomTimelineEvent',
    ...{ id, actorId },
    ...(createdAt && { createdAt }),
    event: { case: 'messagePosted', value: { $typeName: 'svc.api.v1.RoomMessagePosted', message } },
  }
}

/** The cursors of the page are the ids of its first and last row. */
export function pageFor(
  rows: RoomTimelineEvent[],
  more: { hasOlder?: boolean; hasNewer?: boolean } = {},
): RoomTimelinePage {
  const { hasOlder = false, hasNewer = false } = more
  return {
    $typeName: 'svc.api.v1.RoomTimelinePage',
    ...{ events: rows, hasOlder, hasNewer },
    startCursor: rows.at(0)?.id ?? '',
    endCursor: rows.at(-1)?.id ?? '',
  }
}
