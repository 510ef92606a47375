import type { MemberClient } from '@parley/client'
import { keepLastUser, lastUser } from '../kept/last-user.ts'
import { SharedEvents } from './shared-events.ts'

let early: { userId: string; events: SharedEvents } | undefined

/** Opens the stream of who was signed in here last while the server is asked who it is now: opening takes no less time. */
export function openEarly(server: MemberClient): void {
  closeEarly()
  const userId = lastUser()
  if (userId !== undefined) early = { userId, events: new SharedEvents(server, userId) }
}

/** Nobody is signed in, or somebody else. */
export function closeEarly(): void {
  early?.events.close()
  early = undefined
}

/** The event stream of a user: the one that was opened early, if it is theirs. */
export function eventsOf(server: MemberClient, userId: string): SharedEvents {
  keepLastUser(userId)
  if (early?.userId !== userId) closeEarly()
  const { events = new SharedEvents(server, userId) } = early ?? {}
  early = undefined
  return events
}
