import type { MemberClient } from '@parley/client'
import { saveLastUser, lastUser } from '../storage/last-user.ts'
import { type FirstReads, firstRoom, readFirst } from './first-reads.ts'
import { SharedEvents } from './shared-events.ts'

/** `reads` begin when the connection is open or does not open in time. */
type Opening = { userId: string; events: SharedEvents; reads: Promise<FirstReads> }

let early: Opening | undefined

/** Subscribes before reading, so that no event is missed. */
function open(server: MemberClient, userId: string): Opening {
  const events = new SharedEvents(server, userId)
  return { userId, events, reads: events.whenOpen().then(() => readFirst(server, firstRoom(userId))) }
}

/**
 * Connects as the user who was last signed in on this device, and reads their data. The caller asks the server at the
 * same time who is signed in now.
 */
export function openEarly(server: MemberClient): void {
  closeEarly()
  const userId = lastUser()
  if (userId !== undefined) early = open(server, userId)
}

export function closeEarly(): void {
  early?.events.close()
  early = undefined
}

/** Returns the early opening if it belongs to this user, otherwise a new one. */
export function takeOpening(server: MemberClient, userId: string): Opening {
  saveLastUser(userId)
  if (early?.userId !== userId) closeEarly()
  const opening = early ?? open(server, userId)
  early = undefined
  return opening
}
