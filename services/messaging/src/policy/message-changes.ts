import { may, roomScope, type Policy, type Subject } from '@parley/permissions'
import type { ChangeableMessage } from '../domain/changeable.ts'
import type { RoomHeader } from '../domain/room-header.ts'
import { editWindowOver, lacksPermission, notTheAuthor, roomArchived } from '../errors.ts'

type CallerInRoom = { policy: Policy; caller: Subject; room: RoomHeader }
type Message = Pick<ChangeableMessage, 'authorId' | 'createdAt'>

const isAuthor = (caller: Subject, message: Pick<Message, 'authorId'>): boolean => message.authorId === caller.userId

/**
 * The author needs no permission, but must be within the edit window; others need `message.manage`. Nobody may edit in
 * an archived room.
 */
export function assertMayEdit(who: CallerInRoom, message: Message, when: { now: Date; windowMs: number }): void {
  const { caller, room } = who
  if (!isAuthor(caller, message)) assertPermission(who, 'message.manage')
  if (room.archived) throw roomArchived()
  if (isAuthor(caller, message)) assertWithinWindow(message, when)
}

/** A change of the echo requires this and `assertMayEdit`. */
export function assertMayChangeEcho(who: CallerInRoom, message: Message, change: 'add' | 'remove'): void {
  assertAuthor(who.caller, message)
  if (change === 'remove') return
  assertPermission(who, 'message.echo')
  assertPermission(who, 'message.post')
}

/**
 * The author may retract a message at any time, others only with `message.manage`. This also holds in archived rooms.
 */
export function assertMayRetract(who: CallerInRoom, message: Message): void {
  if (!isAuthor(who.caller, message)) assertPermission(who, 'message.manage')
}

export function assertAuthor(caller: Subject, message: Pick<Message, 'authorId'>): void {
  if (!isAuthor(caller, message)) throw notTheAuthor()
}

/** In an archived room, reactions can only be removed. */
export function assertMayReact(who: CallerInRoom, change: 'add' | 'remove'): void {
  assertPermission(who, 'message.react')
  if (change === 'add' && who.room.archived) throw roomArchived()
}

function assertPermission({ policy, caller, room }: CallerInRoom, permission: Parameters<typeof may>[2]): void {
  if (!may(policy, caller, permission, roomScope(room))) throw lacksPermission(permission)
}

function assertWithinWindow({ createdAt }: Message, { now, windowMs }: { now: Date; windowMs: number }): void {
  if (now.getTime() - createdAt.getTime() > windowMs) throw editWindowOver(windowMs)
}
