import { MessageService, RoomService } from '@parley/contracts/api'
import type { Fixture } from './fixture.ts'
import type { Name } from './users.ts'

const { updateMessage, deleteMessage, addReaction, removeReaction } = MessageService.method

type Where = 'channel' | 'hall' | 'dm'

export const react = (fixture: Fixture, who: Name, room: Where, to: string, emoji = 'tada') =>
  fixture.call(who, addReaction, { roomId: fixture[room], messageEventId: fixture.id(to), emoji })
export const unreact = (fixture: Fixture, who: Name, room: Where, to: string, emoji = 'tada') =>
  fixture.call(who, removeReaction, { roomId: fixture[room], messageEventId: fixture.id(to), emoji })
export const remove = (fixture: Fixture, who: Name, room: Where, what: string) =>
  fixture.call(who, deleteMessage, { roomId: fixture[room], eventId: fixture.id(what) })
export const edit = (
  fixture: Fixture,
  who: Name,
  room: Where,
  what: string,
  change: { body?: string; alsoSendToChannel?: boolean },
) => fixture.call(who, updateMessage, { roomId: fixture[room], eventId: fixture.id(what), ...change })
export const sendTyping = (fixture: Fixture, who: Name, room: Where, threadRootEventId = '') =>
  fixture.call(who, RoomService.method.updateTypingIndicator, { roomId: fixture[room], threadRootEventId })
