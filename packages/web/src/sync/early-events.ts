import type { MemberClient } from '@parley/client'
import { keepLastUser, lastUser } from '../kept/last-user.ts'
import { type FirstReads, firstRoom, readFirst } from './first-reads.ts'
import { SharedEvents } from './shared-events.ts'

/** The event stream of a user, and what is read once it is open. */
type Opening = { userId: string; events: SharedEvents; reads: Promise<FirstReads> }

let early: Opening | undefined

/** Subscribes before reading, so that nothing is missed. */
function open(server: MemberClient, userId: string): Opening {
  const events = new SharedEvents(server, userId)
  return { userId, events, reads: events.opened().then(() => readFirst(server, firstRoom(userId))) }
}

/**
 * Opens the stream of the user who was last signed in here, and reads their data, while the current user is requested
 * from the server.
 */
export function openEarly(server: MemberClient): void {
  closeEarly()
  const userId = lastUser()
  if (userId !== undefined) early = open(server, userId)
}

/** Nobody is signed in, or somebody else. */
export function closeEarly(): void {
  early?.events.close()
  early = undefined
}

/** The stream of a user, and their first reads: those that began early, if they are theirs. */
export function openingOf(server: MemberClient, userId: string): Opening {
  keepLastUser(userId)
  if (early?.userId !== userId) closeEarly()
  const opening = early ?? open(server, userId)
  early = undefined
  return opening
}
